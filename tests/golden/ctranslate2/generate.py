#!/usr/bin/env python3
"""Writes the CTranslate2 model of tests/golden/torch_files/fairseq_cfg.pt with CTranslate2's own code: generate.py FOLDER

Made with ctranslate2 4.8.5 and NumPy 2. The mapping is that of ctranslate2/converters/fairseq.py.
"""
import json
import pathlib
import sys

import numpy as np
from ctranslate2.converters import utils
from ctranslate2.specs import common_spec, transformer_spec

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1])
SOURCE = HERE.parent / "torch_files"
FLAT = json.loads((SOURCE / "fairseq_weights.json").read_text())
WIDTH, POSITIONS = 8, 20


def values(name, *shape):
    return np.array(FLAT[name], dtype=np.float32).reshape(shape)


def linear(spec, name, out, into):
    spec.weight, spec.bias = values(name + ".weight", out, into), values(name + ".bias", out)


def norm(spec, name):
    spec.gamma, spec.beta = values(name + ".weight", WIDTH), values(name + ".bias", WIDTH)


def fused(spec, names):
    layers = [common_spec.LinearSpec() for _ in names]
    for layer, name in zip(layers, names):
        linear(layer, name, WIDTH, WIDTH)
    utils.fuse_linear(spec, layers)


def attention(spec, name):
    if len(spec.linear) == 2:
        fused(spec.linear[0], [f"{name}.{p}_proj" for p in "qkv"])
    else:
        linear(spec.linear[0], name + ".q_proj", WIDTH, WIDTH)
        fused(spec.linear[1], [f"{name}.{p}_proj" for p in "kv"])
    linear(spec.linear[-1], name + ".out_proj", WIDTH, WIDTH)
    norm(spec.layer_norm, name + "_layer_norm")


def sinusoids():
    """fairseq's sinusoids, whose first position is 2."""
    rates = np.power(10000.0, -np.arange(WIDTH // 2) / (WIDTH / 2 - 1))
    angles = (2.0 + np.arange(POSITIONS))[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def stack(spec, name, embeddings, rows, hidden):
    embeddings.weight = values(name + ".embed_tokens.weight", rows, WIDTH)
    spec.position_encodings.encodings = sinusoids()
    layer, ours = spec.layer[0], name + ".layers.0"
    attention(layer.self_attention, ours + ".self_attn")
    if name == "decoder":
        attention(layer.attention, ours + ".encoder_attn")
    norm(layer.ffn.layer_norm, ours + ".final_layer_norm")
    linear(layer.ffn.linear_0, ours + ".fc1", hidden, WIDTH)
    linear(layer.ffn.linear_1, ours + ".fc2", WIDTH, hidden)
    norm(spec.layer_norm, name + ".layer_norm")


spec = transformer_spec.TransformerSpec(
    transformer_spec.TransformerEncoderSpec(1, 2, pre_norm=True),
    transformer_spec.TransformerDecoderSpec(1, 4, pre_norm=True))
stack(spec.encoder, "encoder", spec.encoder.embeddings[0], 7, 6)
stack(spec.decoder, "decoder", spec.decoder.embeddings, 9, 10)
spec.decoder.projection.weight = values("decoder.embed_tokens.weight", 9, WIDTH)
special = ["<s>", "<blank>", "</s>", "<unk>"]
spec.register_source_vocabulary(special + ["a", "b", "c"])
spec.register_target_vocabulary(special + ["u", "v", "w", "x", "y"])
spec.config.decoder_start_token = spec.config.eos_token
spec.config.add_source_eos = True
spec.validate()
spec.optimize()
spec.save(str(FOLDER))
