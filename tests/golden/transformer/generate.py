"""Golden log-probabilities of small Transformers, computed independently of phraseq.

Written from the equations of the architectures (Vaswani et al. 2017 and the three published baselines) in
double precision with NumPy only: one sentence at a time, no padding, no batching, no caches.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

A formula gives every parameter from its name and element number, so that the C++ test can set the same
values without reading weights:  v[i] = 0.25 sin(0.61 (i+1) + 0.017 * sum(name's bytes)), layer-norm gains
1 + 0.4 v.
"""
import json
import math

import numpy as np

V_SRC, V_TGT, D, F, H, L = 11, 13, 8, 14, 2, 2
SOURCES = [[5, 9, 4, 7, 2], [6, 2], [8, 10, 5, 2]]
TARGETS = [[4, 12, 7, 2], [9, 5, 6, 11, 8, 2], [2]]
EOS, BOS = 2, 0

FAIRSEQ = dict(pre=False, embed_norm="no", pos="fairseq", activation="relu", attn_bias=True, ffn1=True,
               ffn2=True, out_bias=False, start=EOS, source_bos=False, forbid=False, tie="none",
               scale=True, eps=1e-6)
VARIANTS = {
    "fairseq": dict(FAIRSEQ),
    "neutron": dict(FAIRSEQ, embed_norm="after-dropout", pos="interleaved", attn_bias=False, ffn2=False,
                    out_bias=True, start=BOS, source_bos=True, tie="decoder"),
    "neutron_forbid": dict(FAIRSEQ, embed_norm="after-dropout", pos="interleaved", attn_bias=False, ffn2=False,
                           out_bias=True, start=BOS, source_bos=True, tie="decoder", forbid=True),
    "tensor2tensor": dict(FAIRSEQ, pre=True, pos="tensor2tensor", attn_bias=False, tie="all"),
    "gelu_learned": dict(FAIRSEQ, activation="gelu", pos="learned", embed_norm="before-dropout", eps=1e-5),
    "swish_nopos": dict(FAIRSEQ, activation="swish", pos="none", ffn1=False, scale=False, pre=True),
}


def values(name, shape):
    n = int(np.prod(shape))
    shift = 0.017 * sum(name.encode())
    v = 0.25 * np.sin(0.61 * (np.arange(n) + 1) + shift)
    if "layer_norm.weight" in name or "layernorm_embedding.weight" in name:
        v = 1 + 0.4 * v
    return v.reshape(shape)


def layer_norm(x, name, o):
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + o["eps"]) * values(name + ".weight", (D,)) + values(name + ".bias", (D,))


def linear(x, name, n_in, n_out, bias):
    y = x @ values(name + ".weight", (n_out, n_in)).T
    return y + values(name + ".bias", (n_out,)) if bias else y


def activation(x, kind):
    if kind == "relu":
        return np.maximum(x, 0)
    if kind == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return x / (1 + np.exp(-x))


def position(p, o):
    half = D // 2
    if o["pos"] == "interleaved":
        return np.array([f(p * 10000 ** (-2 * i / D)) for i in range(half) for f in (math.sin, math.cos)])
    if o["pos"] in ("tensor2tensor", "fairseq"):
        q = p + (2 if o["pos"] == "fairseq" else 0)
        rates = [10000 ** (-i / (half - 1)) for i in range(half)]
        return np.array([math.sin(q * r) for r in rates] + [math.cos(q * r) for r in rates])
    return np.zeros(D)


def embed(ids, stack, vocabulary, o):
    table_name = "encoder.embed_tokens.weight" if o["tie"] == "all" else f"{stack}.embed_tokens.weight"
    rows = V_SRC if o["tie"] == "all" else vocabulary
    x = values(table_name, (rows, D))[ids] * (math.sqrt(D) if o["scale"] else 1)
    if o["pos"] == "learned":
        x = x + values(f"{stack}.embed_positions.weight", (20 + 2, D))[np.arange(len(ids)) + 2]
    else:
        x = x + np.stack([position(p, o) for p in range(len(ids))])
    return layer_norm(x, f"{stack}.layernorm_embedding", o) if o["embed_norm"] != "no" else x


def attention(x, memory, name, causal, o):
    q, k, v = (linear(z, f"{name}.{m}_proj", z.shape[1], D, o["attn_bias"])
               for z, m in ((x, "q"), (memory, "k"), (memory, "v")))
    dh = D // H
    out = np.zeros_like(q)
    for h in range(H):
        c = slice(h * dh, (h + 1) * dh)
        for i in range(len(x)):
            last = i + 1 if causal else len(memory)
            s = k[:last, c] @ q[i, c] / math.sqrt(dh)
            w = np.exp(s - s.max())
            out[i, c] = (w / w.sum()) @ v[:last, c]
    return linear(out, f"{name}.out_proj", D, D, o["attn_bias"])


def sublayer(x, f, norm, o):
    return x + f(layer_norm(x, norm, o)) if o["pre"] else layer_norm(x + f(x), norm, o)


def feed_forward(x, name, o):
    return linear(activation(linear(x, name + ".fc1", D, F, o["ffn1"]), o["activation"]), name + ".fc2", F, D, o["ffn2"])


def encode(source, o):
    x = embed(source, "encoder", V_SRC, o)
    for i in range(L):
        n = f"encoder.layers.{i}"
        x = sublayer(x, lambda h: attention(h, h, n + ".self_attn", False, o), n + ".self_attn_layer_norm", o)
        x = sublayer(x, lambda h: feed_forward(h, n, o), n + ".final_layer_norm", o)
    return layer_norm(x, "encoder.layer_norm", o) if o["pre"] else x


def project(x, matrix, vocabulary):
    return x @ values(matrix, (vocabulary, D)).T


def log_probabilities(source, target, o):
    vocabulary = V_SRC if o["tie"] == "all" else V_TGT
    source = [BOS] + source if o["source_bos"] else source
    memory = encode(source, o)
    x = embed([o["start"]] + target[:-1], "decoder", vocabulary, o)
    for i in range(L):
        n = f"decoder.layers.{i}"
        x = sublayer(x, lambda h: attention(h, h, n + ".self_attn", True, o), n + ".self_attn_layer_norm", o)
        x = sublayer(x, lambda h: attention(h, memory, n + ".encoder_attn", False, o), n + ".encoder_attn_layer_norm", o)
        x = sublayer(x, lambda h: feed_forward(h, n, o), n + ".final_layer_norm", o)
    if o["pre"]:
        x = layer_norm(x, "decoder.layer_norm", o)
    matrix = {"none": "decoder.output_projection.weight", "decoder": "decoder.embed_tokens.weight",
              "all": "encoder.embed_tokens.weight"}[o["tie"]]
    logits = project(x, matrix, vocabulary)
    if o["out_bias"]:
        logits = logits + values("decoder.output_bias", (vocabulary,))
    if o["forbid"]:
        logits[:, [0, 1]] = -np.inf
    lse = np.log(np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)) + logits.max(-1)
    return [float(logits[t, y] - lse[t]) for t, y in enumerate(target)]


def main():
    result = {"sizes": dict(source_vocabulary=V_SRC, target_vocabulary=V_TGT, model=D, ffn=F, heads=H, layers=L),
              "sources": SOURCES, "variants": {}}
    for name, o in VARIANTS.items():
        limit = V_SRC if o["tie"] == "all" else V_TGT
        targets = [[min(t, limit - 1) for t in y] for y in TARGETS]
        result["variants"][name] = {"options": o, "targets": targets,
                                    "log_probabilities": [log_probabilities(s, t, o) for s, t in zip(SOURCES, targets)]}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
