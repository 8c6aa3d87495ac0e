"""Golden log-probabilities of small Transformers with source phrase representations (Xu et al. 2020),
computed independently of phraseq.

Written from the paper's equations in double precision with NumPy only, in the padded formulation: an
index [batch, phrases, words] with masks, so that there are phrases with nothing but padding.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

Parameters are computed by the formula of ../transformer/generate.py, whose layers are used.
"""
import importlib.util
import json
import math
import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("transformer", os.path.join(here, "../transformer/generate.py"))
t = importlib.util.module_from_spec(spec)
spec.loader.exec_module(t)

D, H = t.D, t.H
SOURCES = [[5, 9, 4, 7, 8, 2], [6, 2], [8, 10, 5, 9, 2]]
TARGETS = [[4, 12, 7, 2], [9, 5, 6, 11, 8, 2], [2]]
# (S (NP . . .) (VP . .)) over five subwords, (NP .) and no tree, as phraseq stores them: 2k = a leaf of k
# subwords, 2k + 1 = k children.
TREES = [[5, 7, 2, 2, 2, 5, 2, 2], [3, 2], []]

NEUTRON = dict(t.VARIANTS["neutron"], glance="max", attn="softmax", attn_hidden=[D, D], ta="phrase", comb_hidden=[3 * D, 3 * D],
               residual="x", comb_bias2=False, rounding="ceil", scope="sentence", encoder_layers=2, decoder_layers=2,
               seg=[8, 2, 2], tree_options=None, decoder_width=D)
NARROW, WIDE = D, D + 4
VARIANTS = {
    "base": dict(NEUTRON),
    "mean": dict(NEUTRON, glance="mean", attn="none", ta="none"),
    "mean_centered": dict(NEUTRON, glance="mean", attn="none", ta="none", centered=True, comb_bias2=True),
    "max": dict(NEUTRON, attn="none", ta="none"),
    "max_attn": dict(NEUTRON, ta="none"),
    "mean_attn_uneven": dict(NEUTRON, glance="mean", attn_hidden=[5, 7], comb_hidden=[2 * D, 13], decoder_layers=3, rounding="round",
                             comb_bias2=True),
    "max_ta": dict(NEUTRON, attn="none"),
    "neutron": dict(NEUTRON, forbid=True, attn="sigmoid-residual", ta="both", comb_hidden=[4 * D, 4 * D], residual="both",
                    scope="batch"),
    "pre_norm": dict(NEUTRON, pre=True, embed_norm="no", attn_bias=True, ffn2=True, comb_bias2=True, residual="both", rounding="floor",
                     start=t.EOS, source_bos=False),
    "parse": dict(NEUTRON, tree_options=["literal", "own"]),
    "parse_bounded": dict(NEUTRON, tree_options=["bounded", "own"]),
    "parse_joined": dict(NEUTRON, tree_options=["literal", "join"]),
    # Scorers read encoder states, also in the last level, so d is the encoder's width in all of them.
    "wide_decoder": dict(NEUTRON, decoder_width=WIDE, attn_hidden=[NARROW, NARROW], comb_hidden=[2 * NARROW, 2 * WIDE],
                         attn_hidden_text="d", comb_hidden_text="2d", residual="both"),
    "wide_decoder_last_level": dict(NEUTRON, decoder_width=WIDE, attn_hidden=[NARROW, 3 * NARROW], comb_hidden=[NARROW, 5],
                                    attn_hidden_text="d,3d", comb_hidden_text="d,5", ta="both"),
}
# Phrases of the trees by hand (Algorithm 1). Sentence 0: 7 tokens, n = ceil(7/2) = 4. Seed: of the right path S(5) VP(2) leaf(1)
# the largest below 4 is VP, depth 1; literal mt = 4 takes NP (3 <= 4): one phrase of 5. Bounded mt = 2 < 3: then S and NP hold 3 < 4,
# the seed is S (nearest the root). Sentence 1: n = 2, one leaf of one subword. Sentence 2: n-grams of n = 3.
PARSED = {
    ("literal", "own"): [[1, 5, 1], [1, 1, 1], [3, 3]],
    ("bounded", "own"): [[1, 3, 2, 1], [1, 1, 1], [3, 3]],
    ("literal", "join"): [[7], [3], [3, 3]],
}


def rounded(a, b, rule):
    exact = a / b
    return {"ceil": math.ceil(exact), "floor": math.floor(exact), "round": math.floor(exact + 0.5)}[rule]


def index_of(lengths, o):
    """[batch][phrase] lists of token places; -1 = padding."""
    longest, shortest, divisor = o["seg"]
    result = []
    for i, length in enumerate(lengths):
        if o["tree_options"]:
            phrases = PARSED[tuple(o["tree_options"])][i]
        else:
            seql = max(lengths) if o["scope"] == "batch" else length
            n = max(min(longest, rounded(seql, divisor, o["rounding"])), shortest)
            count = math.ceil((max(lengths) if o["scope"] == "batch" else length) / n)
            phrases = [max(0, min(n, length - k * n)) for k in range(count)]
        start, rows = 0, []
        for size in phrases:
            rows.append(list(range(start, start + size)))
            start += size
        assert start == length
        result.append(rows)
    phrase_count = max(len(rows) for rows in result)
    words = max(len(row) for rows in result for row in rows)
    return [[row + [-1] * (words - len(row)) for row in rows + [[]] * (phrase_count - len(rows))] for rows in result]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def masked_softmax(s, mask):
    if not mask.any():
        return np.zeros_like(s)
    w = np.exp(np.where(mask, s, -1e9) - np.where(mask, s, -1e9).max())
    return w / w.sum()


def generate(x, index, level, o):
    """The phrase vectors [phrases, D] of one sentence, and whether they contain a word."""
    vectors, real = [], []
    layers = o["encoder_layers"]
    hidden = o["attn_hidden"][0 if level < layers else 1]
    name = f"encoder.phrase_generators.{level}"
    for row in index:
        mask = np.array([place >= 0 for place in row])
        G = np.stack([x[place] if place >= 0 else np.full(D, 77.0) for place in row])
        real.append(bool(mask.any()))
        if not mask.any():
            g = np.zeros(D)
        elif o["glance"] == "max":
            g = np.where(mask[:, None], G, -1e9).max(0)
        else:
            g = np.where(mask[:, None], G, 0).sum(0) / mask.sum()
        if o["attn"] == "none":
            vectors.append(g)
            continue
        W1 = t.values(name + ".fc1.weight", (hidden, 2 * D))
        b1 = t.values(name + ".fc1.bias", (hidden,))
        w2 = t.values(name + ".score.weight", (1, hidden))[0]
        s = np.array([w2 @ sigmoid(W1 @ np.concatenate([word, g]) + b1) for word in G])
        if o["attn"] == "softmax":
            p = masked_softmax(s, mask)
            vectors.append((p[:, None] * np.where(mask[:, None], G, 0)).sum(0))
        else:
            b2 = t.values(name + ".score.bias", (1,))[0]
            a = np.where(mask, sigmoid(s + b2), 0) / max(1, mask.sum())
            vectors.append((a[:, None] * np.where(mask[:, None], G, 0)).sum(0) + (1 - a.sum()) * g)
    return np.stack(vectors), np.array(real)


def phrase_attention(x, R, real, name, o):
    d = x.shape[1]
    q = t.linear(x, f"{name}.q_proj", d, d, o["attn_bias"])
    k = t.linear(R, f"{name}.k_proj", D, d, o["attn_bias"])
    v = t.linear(R, f"{name}.v_proj", D, d, o["attn_bias"])
    dh = d // H
    out = np.zeros_like(q)
    for h in range(H):
        c = slice(h * dh, (h + 1) * dh)
        for i in range(len(x)):
            out[i, c] = masked_softmax(k[:, c] @ q[i, c] / math.sqrt(dh), real) @ v[:, c]
    return t.linear(out, f"{name}.out_proj", d, d, o["attn_bias"])


def combine(x, R, real, name, hidden, o):
    h = t.layer_norm(x, name + ".layer_norm", o) if o["pre"] else x
    attended = phrase_attention(h, R, real, name + ".phrase_attn", o)
    d = x.shape[1]
    inner = sigmoid(t.linear(np.concatenate([h, attended], -1), name + ".fc1", 2 * d, hidden, True))
    if o.get("centered"):
        inner = inner - 0.5
    n = t.linear(inner, name + ".fc2", hidden, d, o["comb_bias2"])
    y = x + n + (attended if o["residual"] == "both" else 0)
    return y if o["pre"] else t.layer_norm(y, name + ".layer_norm", o)


def log_probabilities(source, target, index, o):
    source = [t.BOS] + source if o["source_bos"] else source
    x = t.embed(source, "encoder", t.V_SRC, o)
    tokens, levels = [], []
    for i in range(o["encoder_layers"]):
        R, real = generate(x, index, i, o)
        tokens.append(x)
        levels.append(R)
        x = combine(x, R, real, f"encoder.phrase_combinations.{i}", o["comb_hidden"][0], o)
        n = f"encoder.layers.{i}"
        x = t.sublayer(x, lambda h: t.attention(h, h, n + ".self_attn", False, o), n + ".self_attn_layer_norm", o)
        x = t.sublayer(x, lambda h: t.feed_forward(h, n, o), n + ".final_layer_norm", o)
    R, real = generate(x, index, o["encoder_layers"], o)
    tokens.append(x)
    levels.append(R)
    memory = t.layer_norm(x, "encoder.layer_norm", o) if o["pre"] else x

    def mixture(name, values, j):
        W = t.values(name + ".weight", (o["encoder_layers"] + 1, o["decoder_layers"]))
        w = np.exp(W[:, j]) / np.exp(W[:, j]).sum()
        return sum(wi * v for wi, v in zip(w, values))

    t.D = o["decoder_width"]  # of the Transformer's parts from here on
    y = t.embed([o["start"]] + target[:-1], "decoder", t.V_TGT, o)
    for j in range(o["decoder_layers"]):
        n = f"decoder.layers.{j}"
        Rj = levels[-1] if o["ta"] == "none" else mixture("decoder.transparent_attention", levels, j)
        Mj = mixture("decoder.token_transparent_attention", tokens, j) if o["ta"] == "both" else memory
        y = t.sublayer(y, lambda h: t.attention(h, h, n + ".self_attn", True, o), n + ".self_attn_layer_norm", o)
        y = combine(y, Rj, real, f"decoder.phrase_combinations.{j}", o["comb_hidden"][1], o)
        y = t.sublayer(y, lambda h: t.attention(h, Mj, n + ".encoder_attn", False, o), n + ".encoder_attn_layer_norm", o)
        y = t.sublayer(y, lambda h: t.feed_forward(h, n, o), n + ".final_layer_norm", o)
    if o["pre"]:
        y = t.layer_norm(y, "decoder.layer_norm", o)
    logits = y @ t.values("decoder.embed_tokens.weight", (t.V_TGT, t.D)).T + t.values("decoder.output_bias", (t.V_TGT,))
    t.D = D
    if o["forbid"]:
        logits[:, [0, 1]] = -np.inf
    lse = np.log(np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)) + logits.max(-1)
    return [float(logits[i, y] - lse[i]) for i, y in enumerate(target)]


def main():
    result = {"sizes": dict(source_vocabulary=t.V_SRC, target_vocabulary=t.V_TGT, model=D, ffn=t.F, heads=H),
              "sources": SOURCES, "targets": TARGETS, "trees": TREES, "variants": {}}
    for name, o in VARIANTS.items():
        index = index_of([len(s) + o["source_bos"] for s in SOURCES], o)
        result["variants"][name] = {
            "options": o, "index": index,
            "log_probabilities": [log_probabilities(*each, o) for each in zip(SOURCES, TARGETS, index)]}
    print(json.dumps(result, indent=1))


main()
