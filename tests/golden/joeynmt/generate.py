#!/usr/bin/env python3
"""Writes two random Transformers of JoeyNMT and their translations: generate.py FOLDER

Made with JoeyNMT 2.3.0 and PyTorch 2.13. FOLDER/pre and FOLDER/post have the files of a model folder; greedy.txt
is the translation of source.txt, without </s>.
"""
import pathlib
import random
import sys
import types

import torch
import yaml

for unneeded in ("joeynmt.plotting", "joeynmt.datasets"):  # the commands import packages for drawing and for data
    sys.modules.setdefault(unneeded, types.SimpleNamespace(plot_heatmap=None, BaseDataset=object))
from joeynmt.model import build_model
from joeynmt.search import greedy
from joeynmt.vocabulary import Vocabulary

FOLDER = pathlib.Path(sys.argv[1])
torch.set_num_threads(1)
LONGEST = 20
SPECIALS = types.SimpleNamespace(
    unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>", sep_token=None, unk_id=0, pad_id=1, bos_id=2,
    eos_id=3, sep_id=None, lang_tags=[])


def stack(layers, **changes):
    return {"type": "transformer", "num_layers": layers, "num_heads": 4, "hidden_size": 16, "ff_size": 24, "dropout": 0.1,
            "embeddings": {"embedding_dim": 16, "scale": True, "freeze": False}, **changes}


MODELS = {
    "pre": {"tied_embeddings": False, "tied_softmax": False, "encoder": stack(2, layer_norm="pre"),
            "decoder": stack(2, layer_norm="pre", num_heads=2)},
    "post": {"tied_embeddings": True, "tied_softmax": True, "encoder": stack(1, layer_norm="post", activation="gelu"),
             "decoder": stack(2, layer_norm="post", activation="gelu", ff_size=20)},
}


def make(name, model_config):
    torch.manual_seed(5)
    random.seed(5)
    folder = FOLDER / name
    folder.mkdir(exist_ok=True)
    words = [f"s{i}" for i in range(30)]
    others = words if model_config["tied_embeddings"] else [f"t{i}" for i in range(36)]
    source, target = Vocabulary(words, SPECIALS), Vocabulary(others, SPECIALS)
    model = build_model(model_config, source, target).eval()
    with torch.no_grad():  # larger than JoeyNMT's weights, so that translations depend on them
        for key, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.2)
            else:
                parameter.copy_(torch.randn_like(parameter) * (0.35 if "embed" in key else 1.2 / parameter.shape[1] ** 0.5))
        model.decoder.output_layer.weight[3] *= 1.5
        model.decoder.output_layer.weight[1] = 0
    torch.save({"model_state": model.state_dict(), "stats_state": {"steps": 10}}, folder / "best.ckpt")
    source.to_file(folder / "src_vocab.txt")
    target.to_file(folder / "trg_vocab.txt")
    config = {"name": name, "data": {"src": {"lang": "xx", "level": "word"}, "trg": {"lang": "yy", "level": "word"}},
              "model": {"initializer": "xavier_uniform", **model_config}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    lines = [" ".join(random.choices(words, k=random.randint(1, 9))) for _ in range(40)]
    (folder / "source.txt").write_text("".join(line + "\n" for line in lines))
    (folder / "greedy.txt").write_text("".join(translate(model, source, target, line) + "\n" for line in lines))


def translate(model, source, target, line):
    ids, lengths, _ = source.sentences_to_ids([line.split()], bos=False, eos=True)
    ids = torch.tensor(ids)
    mask = (ids != source.pad_index).unsqueeze(1)
    with torch.no_grad():
        memory, hidden = model.encoder(model.src_embed(ids), torch.tensor(lengths), mask)[:2]
        output = greedy(src_mask=mask, max_output_length=LONGEST, model=model, encoder_output=memory, encoder_hidden=hidden,
                        min_output_length=0)[0].numpy()
    assert model.pad_index not in output, "greedy search, unlike beam search, can produce <pad>"
    return " ".join(symbol for symbol in target.arrays_to_sentences(output)[0] if symbol != "</s>")


for name, model_config in MODELS.items():
    make(name, model_config)
