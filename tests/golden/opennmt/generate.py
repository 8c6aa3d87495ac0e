#!/usr/bin/env python3
"""Writes two random Transformers of OpenNMT-py and their translations: generate.py FOLDER

    pip install --no-deps OpenNMT-py==3.5.1
    pip install configargparse ctranslate2 pyonmttok pyyaml rapidfuzz sacrebleu six tensorboard waitress
    python3 generate.py .

Made with OpenNMT-py 3.5.1 and PyTorch 2.13. NAME.pt is a checkpoint like those of onmt_train, NAME.greedy.txt is the
translation of source.txt by onmt_translate without beam search.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import types

import torch

for unneeded in ("spacy", "fasttext"):  # filters of training data import them
    sys.modules.setdefault(unneeded, types.ModuleType(unneeded))
plain_load = torch.load
torch.load = lambda *args, **options: plain_load(*args, **{**options, "weights_only": False})  # OpenNMT's options are a Namespace
from onmt.inputters.inputter import dict_to_vocabs  # noqa: E402
from onmt.model_builder import build_base_model  # noqa: E402
from onmt.opts import model_opts, train_opts  # noqa: E402
from onmt.utils.parse import ArgumentParser  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1])
SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]
SIZES = ["-hidden_size", "16", "-word_vec_size", "16", "-transformer_ff", "24", "-heads", "2", "-enc_layers", "2",
         "-encoder_type", "transformer", "-decoder_type", "transformer", "-position_encoding"]
MODELS = {
    "plain": [*SIZES, "-dec_layers", "2"],
    "tied": [*SIZES, "-dec_layers", "3", "-share_embeddings", "-share_decoder_embeddings", "-add_qkvbias", "-add_ffnbias",
             "-pos_ffn_activation_fn", "gelu", "-share_vocab"],
}


def options_of(name, arguments):
    parser = ArgumentParser(conflict_handler="resolve")
    train_opts(parser)
    parsed = parser.parse_args(["-data", "{}", "-src_vocab", "none", "-save_model", name, *arguments])
    ArgumentParser.update_model_opts(parsed)
    return parsed


def make(name, arguments):
    torch.manual_seed(7)
    words = [f"w{i}" for i in range(26)]
    others = words if "-share_vocab" in arguments else [f"t{i}" for i in range(28)]
    vocab = {"src": [*SPECIALS, *words], "tgt": [*SPECIALS, *others], "data_task": "seq2seq", "decoder_start_token": "<s>"}
    options = options_of(name, arguments)
    model = build_base_model(options, dict_to_vocabs(vocab)).eval()
    with torch.no_grad():  # larger than OpenNMT's weights, so that translations depend on them
        for key, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.copy_(torch.randn_like(parameter) * 0.2 + (1 if key.endswith("weight") else 0))
            else:
                scale = 0.2 if "emb_luts" in key else 2.0 / parameter.shape[1] ** 0.5
                parameter.copy_(torch.randn_like(parameter) * scale)
        model.generator.bias[3] += 0.7
        model.generator.bias[:3] = -100
    state = {key: value for key, value in model.state_dict().items() if "generator" not in key}
    parts = {"model": state, "generator": model.generator.state_dict(), "vocab": vocab, "opt": options, "optim": {}}
    torch.save(parts, FOLDER / f"{name}.pt")
    code = ("import sys, types, torch; sys.modules['spacy'] = sys.modules['fasttext'] = types.ModuleType('x'); load = torch.load; "
            "torch.load = lambda *a, **k: load(*a, **{**k, 'weights_only': False}); from onmt.bin.translate import main; main()")
    subprocess.run([sys.executable, "-c", code, "-model", FOLDER / f"{name}.pt", "-src", FOLDER / "source.txt", "-output",
                    FOLDER / f"{name}.greedy.txt", "-beam_size", "1", "-max_length", "20", "-max_length_ratio", "0"], check=True)
    for stack in ("encoder", "decoder"):  # 32 of 5,000 positions, for a smaller file
        table = f"{stack}.embeddings.make_embedding.pe.pe"
        state[table] = state[table][:32].clone()
    torch.save(parts, FOLDER / f"{name}.pt")


def main():
    random.seed(7)
    lines = [" ".join(random.choices([f"w{i}" for i in range(27)], k=random.randint(1, 9))) for _ in range(40)]
    (FOLDER / "source.txt").write_text("".join(line + "\n" for line in lines))
    for name, arguments in MODELS.items():
        make(name, arguments)


if __name__ == "__main__":
    main()
