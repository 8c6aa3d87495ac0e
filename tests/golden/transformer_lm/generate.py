"""Golden log-probabilities of small Transformer language models, computed independently of phraseq.

The layers are those of ../transformer/generate.py (double precision, NumPy only, one block at a time) without the
attention to an encoder.  Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 1.26)
"""
import importlib.util
import json
import pathlib

import numpy as np

spec = importlib.util.spec_from_file_location("layers", pathlib.Path(__file__).parent.parent / "transformer/generate.py")
layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layers)

V, D, F, H, L = layers.V_TGT, layers.D, layers.F, layers.H, layers.L
# The input before each token, and the tokens; blocks may begin and end in the middle of a sentence.
INPUTS = [[2, 4, 12, 7, 2, 5], [9, 5, 6, 11, 8], [2]]
TARGETS = [[4, 12, 7, 2, 5, 6], [5, 6, 11, 8, 2], [2]]
PLAIN = dict(layers.FAIRSEQ, eps=1e-5, final_norm=True)
VARIANTS = {
    "post_norm": dict(PLAIN),
    "pre_norm_tied": dict(PLAIN, pre=True, tie="decoder"),
    "no_final_norm_learned": dict(PLAIN, pre=True, final_norm=False, pos="learned", activation="gelu"),
    "embedding_norm_unscaled": dict(PLAIN, pre=True, embed_norm="before-dropout", scale=False),
}


def log_probabilities(fed, target, o):
    x = layers.embed(fed, "decoder", V, o)
    for i in range(L):
        n = f"decoder.layers.{i}"
        x = layers.sublayer(x, lambda h: layers.attention(h, h, n + ".self_attn", True, o), n + ".self_attn_layer_norm", o)
        x = layers.sublayer(x, lambda h: layers.feed_forward(h, n, o), n + ".final_layer_norm", o)
    if o["pre"] and o["final_norm"]:
        x = layers.layer_norm(x, "decoder.layer_norm", o)
    tied = o["tie"] == "decoder"
    logits = layers.project(x, "decoder.embed_tokens.weight" if tied else "decoder.output_projection.weight", V)
    lse = np.log(np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)) + logits.max(-1)
    return [float(logits[t, y] - lse[t]) for t, y in enumerate(target)]


print(json.dumps({
    "sizes": dict(vocabulary=V, model=D, ffn=F, heads=H, layers=L),
    "inputs": INPUTS, "targets": TARGETS,
    "variants": {name: {"options": o, "log_probabilities": [log_probabilities(i, t, o) for i, t in zip(INPUTS, TARGETS)]}
                 for name, o in VARIANTS.items()}}, indent=1))
