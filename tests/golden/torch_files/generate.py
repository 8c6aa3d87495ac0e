#!/usr/bin/env python3
"""Writes the files of this folder: pickles of every protocol, files of torch.save in both layouts, and a tiny
fairseq model. Made with Python 3.11 and PyTorch 2.13: generate.py FOLDER

The fairseq checkpoints are written without fairseq: a Transformer's state dictionary has the names and shapes that
fairseq 0.12.2 gives it, `cfg` is the dictionary that its trainer saves, and `args` the Namespace of fairseq 0.9.
"""
import argparse
import collections
import json
import pathlib
import pickle
import sys

import torch

FOLDER = pathlib.Path(sys.argv[1])

VALUES = {
    "none": None,
    "truth": [True, False],
    "numbers": [0, 1, 255, 256, 65536, -1, -129, 2**31, -(2**40), 2**62],
    "fractions": [0.5, -1e300],
    "text": ["", "plain", "naïve \u4e2d\U0001f600", "line\nend \\ 'quote'"],
    "tuple": (1, (2,), (3, 4), (5, 6, 7), (8, 9, 10, 11)),
    "nested": {"a": {"b": [{}]}},
    "options": argparse.Namespace(width=8, name="x"),
    "ordered": collections.OrderedDict([("z", 1), ("a", 2)]),
}
EXPECTED = dict(VALUES, options={"width": 8, "name": "x"}, ordered={"z": 1, "a": 2})

for protocol in range(6):
    (FOLDER / f"values{protocol}.pkl").write_bytes(pickle.dumps(VALUES, protocol))
(FOLDER / "values.json").write_text(json.dumps(EXPECTED, indent=1) + "\n")

base = torch.arange(12, dtype=torch.float32)
TENSORS = collections.OrderedDict(
    whole=base.view(3, 4),
    part=base[5:9],
    turned=base.view(3, 4).t(),
    column=base.view(3, 4)[:, 1],
    half=torch.tensor([0.5, -2.0], dtype=torch.float16),
    brain=torch.tensor([1.5], dtype=torch.bfloat16),
    double=torch.tensor([[1e-300]], dtype=torch.float64),
    number=torch.tensor(7),
    truth=torch.tensor([True, False]),
    nothing=torch.zeros(0, 3),
    parameter=torch.nn.Parameter(torch.tensor([3.25])),
)
torch.save({"model": TENSORS, "note": "not a tensor"}, FOLDER / "tensors.pt")
torch.save({"model": TENSORS}, FOLDER / "tensors_legacy.pt", _use_new_zipfile_serialization=False)
(FOLDER / "tensors.json").write_text(
    json.dumps({name: {"shape": list(t.shape), "values": t.detach().double().flatten().tolist()}
                for name, t in TENSORS.items()}, indent=1) + "\n")

SYMBOLS = {"xx": ["a", "b", "c"], "yy": ["u", "v", "w", "x", "y"]}
for language, symbols in SYMBOLS.items():
    (FOLDER / f"dict.{language}.txt").write_text("".join(f"{s} 1\n" for s in symbols))

OPTIONS = dict(
    arch="transformer_iwslt_de_en", task="translation", source_lang="xx", target_lang="yy", data="data-bin",
    encoder_embed_dim=8, encoder_ffn_embed_dim=6, encoder_layers=1, encoder_attention_heads=2,
    decoder_embed_dim=8, decoder_ffn_embed_dim=10, decoder_layers=1, decoder_attention_heads=4,
    encoder_normalize_before=True, decoder_normalize_before=True, share_decoder_input_output_embed=True,
    share_all_embeddings=False, dropout=0.3, activation_fn="relu", adaptive_softmax_cutoff=None,
    max_source_positions=20, max_target_positions=20)


def state():
    torch.manual_seed(7)
    weights = collections.OrderedDict()

    def linear(name, out, into):
        weights[name + ".weight"] = torch.randn(out, into)
        weights[name + ".bias"] = torch.randn(out)

    def norm(name):
        weights[name + ".weight"], weights[name + ".bias"] = torch.rand(8) + 0.5, torch.randn(8)

    for stack, rows, hidden in (("encoder", 7, 6), ("decoder", 9, 10)):
        weights[stack + ".version"] = torch.tensor([3.0])
        weights[stack + ".embed_tokens.weight"] = torch.randn(rows, 8)
        weights[stack + ".embed_positions._float_tensor"] = torch.zeros(1)
        layer = stack + ".layers.0."
        for attention in ["self_attn"] + ["encoder_attn"] * (stack == "decoder"):
            for part in ("k_proj", "v_proj", "q_proj", "out_proj"):
                linear(f"{layer}{attention}.{part}", 8, 8)
            norm(f"{layer}{attention}_layer_norm")
        linear(layer + "fc1", hidden, 8)
        linear(layer + "fc2", 8, hidden)
        norm(layer + "final_layer_norm")
        norm(stack + ".layer_norm")
    weights["decoder.output_projection.weight"] = weights["decoder.embed_tokens.weight"]
    return weights


CFG = {"_name": None, "model": argparse.Namespace(**dict(OPTIONS, _name=OPTIONS["arch"])),
       "task": {"_name": "translation", "source_lang": "xx", "target_lang": "yy", "data": "data-bin"}}
torch.save({"args": None, "cfg": CFG, "model": state(), "extra_state": {"epoch": 3}}, FOLDER / "fairseq_cfg.pt")
torch.save({"args": argparse.Namespace(**OPTIONS), "model": state()}, FOLDER / "fairseq_args.pt",
           _use_new_zipfile_serialization=False)
(FOLDER / "fairseq_weights.json").write_text(
    json.dumps({name: t.flatten().tolist() for name, t in state().items()}) + "\n")
