"""Golden log-probabilities of models with phrasal attention (Nguyen & Joty 2018), computed independently of phraseq.

Written from the paper's equations and docs/parameters/phrasal_attention.md in double precision with NumPy only, around
the Transformer of tests/golden/transformer/generate.py. Phrases are the paper's unpadded ones, numbered by their first
token and computed one by one; queries, heads and phrases are plain loops.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)
"""
import json
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "transformer"))
import generate as base  # noqa: E402
from generate import values  # noqa: E402

D, H = 12, 3
DH = D // H
base.D, base.H = D, H
SOURCES = [[5, 9, 4, 7, 2], [6, 2], [2], [8, 10, 5, 2]]
TARGETS = [[4, 10, 7, 2], [9, 5, 6, 3, 8, 2], [2], [6, 2]]
WHERE = ["enc", "dec", "cross"]


def variant(kind, method, ngrams, **more):
    return dict(base.FAIRSEQ, pre=True, pos="tensor2tensor", attn_bias=False, tie="all", type=kind, method=method,
                ngrams=ngrams, **dict(dict(where=WHERE, out="replace-o", pa_scale="dhn", conv_bias=False), **more))


VARIANTS = {"base": variant("homogeneous", "queryk", "3")}
for m in ("convkv", "queryk"):
    VARIANTS |= {
        f"homogeneous_{m}_21": variant("homogeneous", m, "21"),
        f"homogeneous_{m}_111": variant("homogeneous", m, "111"),
        f"homogeneous_{m}_03": variant("homogeneous", m, "03"),
        f"heterogeneous_{m}_12": variant("heterogeneous", m, "12"),
        f"heterogeneous_{m}_123": variant("heterogeneous", m, "123"),
        f"heterogeneous_{m}_2": variant("heterogeneous", m, "2"),
        f"heterogeneous_{m}_13": variant("heterogeneous", m, "13"),
        f"interleaved_{m}_12": variant("interleaved", m, "12"),
        f"interleaved_{m}_12_after_o": variant("interleaved", m, "12", out="after-o"),
        f"interleaved_{m}_12_bias": variant("interleaved", m, "12", conv_bias=True),
        f"interleaved_{m}_12_after_o_bias": variant("interleaved", m, "12", out="after-o", conv_bias=True),
        f"homogeneous_{m}_111_bias": variant("homogeneous", m, "111", conv_bias=True),
    }
    for place in WHERE:
        VARIANTS[f"interleaved_{m}_12_{place}"] = variant("interleaved", m, "12", where=[place])
        VARIANTS[f"heterogeneous_{m}_123_{place}"] = variant("heterogeneous", m, "123", where=[place])
VARIANTS["heterogeneous_queryk_123_dh"] = variant("heterogeneous", "queryk", "123", pa_scale="dh")
VARIANTS["interleaved_queryk_12_dhn2"] = variant("interleaved", "queryk", "12", pa_scale="dhn2")


def kernel(name, taps, width):
    """The kernel [taps, in, out] of a map whose matrix is stored as [taps * out, in]."""
    return values(name + ".weight", (taps, width, D)).transpose(0, 2, 1)


def window_sum(rows, first, w, bias):
    """sum_m rows[first + m] w[m] (+ bias), rows before the sentence counting as zero."""
    y = sum(rows[first + m] @ w[m] for m in range(len(w)) if first + m >= 0)
    return y if bias is None else y + bias


def suffix(n):
    return "" if n == 1 else f"_{n}"


class Phrases:
    """Keys and values of one head group's n-grams. `padded`: partial windows at the sentence's start count (homogeneous).
    Phrase number s is tokens s .. s + n - 1; with padding s starts at 1 - n."""

    def __init__(self, memory, name, n, method, width, shared_width, column, padded, o):
        self.n, self.method = n, method
        bias = lambda m: values(f"{name}.{m}{suffix(n)}.bias", (width,)) if o["conv_bias"] and n > 1 else None
        wv = kernel(f"{name}.v_proj{suffix(n)}", n, width)
        starts = range(1 - n if padded else 0, len(memory) - n + 1)
        self.ends = [s + n - 1 for s in starts]
        self.values = [window_sum(memory, s, wv, bias("v_proj")) for s in starts]
        if method == "convkv":
            wk = kernel(f"{name}.k_proj{suffix(n)}", n, width)
            self.keys = [window_sum(memory, s, wk, bias("k_proj")) for s in starts]
        else:
            wk = kernel(f"{name}.k_proj{'' if padded else suffix(n)}", 1, shared_width)[0][:, column:column + width]
            linear = memory @ wk
            self.keys = [[linear[s + m] if s + m >= 0 else np.zeros(width) for m in range(n)] for s in starts]

    def logit(self, query, phrase, head, o):
        c = slice(head * DH, (head + 1) * DH)
        if self.method == "convkv":
            return query[c] @ self.keys[phrase][c] / math.sqrt(DH)
        scale = {"dhn": DH * self.n, "dhn2": DH * self.n ** 2, "dh": DH}[o["pa_scale"]]
        return sum(query[m][c] @ self.keys[phrase][m][c] for m in range(self.n)) / math.sqrt(scale)


def attend(queries_of, kinds, heads, last_key, o):
    """The outputs of all heads for one query. queries_of(n): query for n-grams; last_key: last visible token."""
    out = np.zeros(heads * DH)
    for h in range(heads):
        scores, vectors = [], []
        for kind in kinds:
            for phrase, end in enumerate(kind.ends):
                if end <= last_key:
                    scores.append(kind.logit(queries_of(kind.n), phrase, h, o))
                    vectors.append(kind.values[phrase][h * DH:(h + 1) * DH])
        if scores:
            weights = np.exp(np.array(scores) - max(scores))
            out[h * DH:(h + 1) * DH] = (weights / weights.sum()) @ np.array(vectors)
    return out


def unigram_queries(x, i, name, method, width, shared_width, column):
    def queries_of(n):
        if method == "convkv":
            return x[i] @ kernel(f"{name}.q_proj", 1, shared_width)[0][:, column:column + width]
        w = kernel(f"{name}.q_proj{suffix(n)}", n, width)
        return [x[i] @ w[m] for m in range(n)]
    return queries_of


def bigram_queries(x, i, name, method, o):
    """The query of tokens i - 1 and i."""
    def queries_of(n):
        if method == "convkv" or n == 1:
            w, bias_name, width = kernel(f"{name}.phrase_q_proj", 2, D), f"{name}.phrase_q_proj.bias", D
        else:
            w, bias_name, width = kernel(f"{name}.phrase_q_proj_2", 2, 2 * D), f"{name}.phrase_q_proj_2.bias", 2 * D
        bias = values(bias_name, (width,)) if o["conv_bias"] else None
        q = window_sum(x, i - 1, w, bias)
        return q if method == "convkv" else [q[m * D:(m + 1) * D] for m in range(n)]
    return queries_of


def homogeneous(x, memory, name, causal, o):
    split = [int(digit) for digit in o["ngrams"]]
    out, column = np.zeros((len(x), D)), 0
    for n, heads in enumerate(split, start=1):
        if heads == 0:
            continue
        width = heads * DH
        kinds = [Phrases(memory, name, n, o["method"], width, D, column, True, o)]
        for i in range(len(x)):
            queries = unigram_queries(x, i, name, o["method"], width, D, column)
            out[i, column:column + width] = attend(queries, kinds, heads, i if causal else len(memory) - 1, o)
        column += width
    return out @ values(f"{name}.out_proj.weight", (D, D)).T


def heterogeneous_rows(x, memory, name, causal, o):
    kinds = [Phrases(memory, name, int(n), o["method"], D, D, 0, False, o) for n in o["ngrams"]]
    last = lambda i: i if causal else len(memory) - 1
    unigrams = np.stack([attend(unigram_queries(x, i, name, o["method"], D, D, 0), kinds, H, last(i), o)
                         for i in range(len(x))])
    return kinds, last, unigrams


def heterogeneous(x, memory, name, causal, o):
    return heterogeneous_rows(x, memory, name, causal, o)[2] @ values(f"{name}.out_proj.weight", (D, D)).T


def interleaved(x, memory, name, causal, o):
    kinds, last, u = heterogeneous_rows(x, memory, name, causal, o)
    b = [attend(bigram_queries(x, i + 1, name, o["method"], o), kinds, H, last(i + 1), o) for i in range(len(x) - 1)]
    if o["out"] == "after-o":
        u = u @ values(f"{name}.out_proj.weight", (D, D)).T
        b = [row @ values(f"{name}.phrase_out_proj.weight", (D, D)).T for row in b]
    # The paper's interleaved sequence, and a convolution of stride 2 over it.
    sequence = [np.zeros(D)]
    for i in range(len(x)):
        sequence.append(u[i])
        if i + 1 < len(x):
            sequence.append(b[i])
    taps = 2
    if ".self_attn" in name and not causal:
        sequence.append(np.zeros(D))
        taps = 3
    w = values(f"{name}.interleave_proj.weight", (D, taps, D))
    bias = values(f"{name}.interleave_proj.bias", (D,)) if o["conv_bias"] else 0
    return np.stack([sum(w[:, m] @ sequence[2 * i + m] for m in range(taps)) + bias for i in range(len(x))])


def attention(x, memory, name, causal, o):
    place = "cross" if ".encoder_attn" in name else "dec" if causal else "enc"
    if place not in o["where"]:
        return homogeneous(x, memory, name, causal, dict(o, ngrams=str(H), method="convkv"))
    return {"homogeneous": homogeneous, "heterogeneous": heterogeneous,
            "interleaved": interleaved}[o["type"]](x, memory, name, causal, o)


def main():
    plain = base.attention
    base.attention = attention
    result = {"sizes": dict(source_vocabulary=base.V_SRC, target_vocabulary=base.V_SRC, model=D, ffn=base.F, heads=H,
                            layers=base.L), "sources": SOURCES, "targets": TARGETS, "variants": {}}
    for name, o in VARIANTS.items():
        result["variants"][name] = {
            "options": o, "log_probabilities": [base.log_probabilities(s, t, o) for s, t in zip(SOURCES, TARGETS)]}
    base.attention = plain
    unigrams = [base.log_probabilities(s, t, VARIANTS["base"]) for s, t in zip(SOURCES, TARGETS)]
    assert np.allclose(sum(unigrams, []), sum(result["variants"]["base"]["log_probabilities"], []), atol=1e-13, rtol=0)
    print(json.dumps(result, indent=1))


main()
