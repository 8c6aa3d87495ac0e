"""Golden log-probabilities of small PhraseTransformers (Nguyen & Nguyen 2022), computed independently of phraseq.

Written from the paper's equations in double precision with NumPy only: one sentence, one position and
one window at a time; every window's LSTM steps through its own rows, including zero rows before
the sentence. The parts shared with the Transformer are those of its generator (../transformer).
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

Parameters of the LSTM of layer N and gram size M: encoder.layers.N.self_attn.ngram.M.weight_ih_l0 and so
on, PyTorch's names, with values by the formula of ../transformer.
"""
import importlib.util
import json
import math
from pathlib import Path

import numpy as np

spec = importlib.util.spec_from_file_location("transformer", Path(__file__).parent.parent / "transformer" / "generate.py")
base = importlib.util.module_from_spec(spec)
spec.loader.exec_module(base)
base.D, base.H = 8, 4
D, H, L = base.D, base.H, base.L
DH = D // H

SOURCES = [[5, 9, 4, 7, 8, 2], [6, 2], [8, 10, 5, 2]]  # the second is shorter than most windows
CODE = dict(base.FAIRSEQ, eps=1e-5, tie="all", grams=[3], mode="cross", layers="all", raw=True, pt_scale="word",
            state="h+c", order="position")
VARIANTS = {
    "code_3": dict(CODE),
    "code_2_3": dict(CODE, grams=[2, 3, 2, 0]),
    "equations": dict(CODE, raw=False, pt_scale="all", state="h"),
    "zero_is_raw": dict(CODE, grams=[0, 4], raw=False, pt_scale="all", state="c"),
    "raw_all": dict(CODE, grams=[2], pt_scale="all"),
    "first_layer": dict(CODE, grams=[2], layers="1", raw=False),
    "last_layer": dict(CODE, grams=[1], layers="-1", pre=True, attn_bias=False),
    "sep": dict(CODE, mode="sep", grams=[3, 0, 2, 3]),
    "sep_ascending": dict(CODE, mode="sep", grams=[3, 0, 2, 3], order="ascending", pt_scale="all", state="h"),
}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(rows, name, suffix):
    """Final h and c of one direction over `rows`, in the order given; gate blocks i, f, g, o."""
    n = rows.shape[1]
    w_ih, w_hh = (base.values(f"{name}.weight_{k}_l0{suffix}", (4 * n, n)) for k in ("ih", "hh"))
    b_ih, b_hh = (base.values(f"{name}.bias_{k}_l0{suffix}", (4 * n,)) for k in ("ih", "hh"))
    h = c = np.zeros(n)
    for x in rows:
        z = w_ih @ x + b_ih + w_hh @ h + b_hh
        i, f, g, o = sigmoid(z[:n]), sigmoid(z[n:2 * n]), np.tanh(z[2 * n:3 * n]), sigmoid(z[3 * n:])
        c = f * c + i * g
        h = o * np.tanh(c)
    return h, c


def phrase(s, m, name, o):
    """Section 5.1, step 3, for one head: s [T, width] -> [T, width]."""
    out = np.zeros_like(s)
    for t in range(len(s)):
        window = np.stack([s[u] if u >= 0 else np.zeros(s.shape[1]) for u in range(t - m + 1, t + 1)])
        for h, c in (lstm(window, name, ""), lstm(window[::-1], name, "_reverse")):
            out[t] += (h if "h" in o["state"] else 0) + (c if "c" in o["state"] else 0)
    return out


def softmax_times(logits, v):
    w = np.exp(logits - logits.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ v


def cross_head(q, k, v, name, o):
    """q and k of one head through the LSTM of every gram size, CrossH."""
    s = np.concatenate([q / math.sqrt(DH) if o["pt_scale"] == "word" else q, k], -1)
    parts = [phrase(s, m, f"{name}.ngram.{m}", o) for m in sorted(set(o["grams"])) if m > 0]
    if o["raw"] or 0 in o["grams"]:
        parts.insert(0, s)
    q, k = (np.concatenate([p[:, half] for p in parts], -1) for half in (slice(0, DH), slice(DH, None)))
    return softmax_times(q @ k.T / (math.sqrt(DH) if o["pt_scale"] == "all" else 1), v)


def sep_head(q, k, v, name, m, o):
    """One head with a gram size of its own, SepH; 0 is a plain head."""
    if o["pt_scale"] == "word":
        q = q / math.sqrt(DH)
    if m > 0:
        q, k, v = (phrase(x, m, f"{name}.ngram.{m}", o) for x in (q, k, v))
    return softmax_times(q @ k.T / (math.sqrt(DH) if o["pt_scale"] == "all" else 1), v)


def is_phrased(layer, o):
    if o["layers"] == "all":
        return True
    p = int(o["layers"])
    return layer < p if p >= 0 else layer >= L + p


def attention(x, memory, name, causal, o):
    if not name.startswith("encoder") or not is_phrased(int(name.split(".")[2]), o):
        return plain_attention(x, memory, name, causal, o)
    q, k, v = (base.linear(x, f"{name}.{m}_proj", D, D, o["attn_bias"]) for m in "qkv")
    sizes = sorted(o["grams"]) if o["order"] == "ascending" else o["grams"]
    heads = []
    for h in range(H):
        c = slice(h * DH, (h + 1) * DH)
        if o["mode"] == "cross":
            heads.append(cross_head(q[:, c], k[:, c], v[:, c], name, o))
        else:
            heads.append(sep_head(q[:, c], k[:, c], v[:, c], name, sizes[h], o))
    return base.linear(np.concatenate(heads, -1), f"{name}.out_proj", D, D, o["attn_bias"])


plain_attention = base.attention
base.attention = attention


def main():
    result = {"sizes": dict(vocabulary=base.V_SRC, model=D, ffn=base.F, heads=H, layers=L), "sources": SOURCES,
              "targets": [[min(t, base.V_SRC - 1) for t in y] for y in base.TARGETS], "variants": {}}
    for name, o in VARIANTS.items():
        result["variants"][name] = {"options": o, "log_probabilities": [
            base.log_probabilities(s, t, o) for s, t in zip(SOURCES, result["targets"])]}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
