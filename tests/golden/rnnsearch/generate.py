"""Golden log-probabilities of small RNNsearch models (Bahdanau et al. 2015) with the coverages of Tu et al.
(2016), computed independently of phraseq.

Written from the equations in double precision with NumPy only: one sentence at a time, one source word at a
time, no padding, no batching. A source tag (phraseNet, ../phrasenet) is a longer annotation here: [h; tag]
times [W | W_tags], where phraseq keeps two products.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

Parameters are computed by the formula of ../transformer/generate.py times the variant's `scale`. With 4, gates open
and close and attention chooses; with 1, they would be nearly linear. The rows of a GRU's matrices are those of the
reset gate, the update gate and the candidate; in the coverage's GRU, those of z, r and the candidate.

golden.json:
  sizes     vocabularies, embedding E, hidden H (an annotation has 2H values), coverage_dim of neural coverage
  sources, targets     ids of every sentence, </s> (2) at the end; the decoder is first fed a zero embedding
  variants  name -> options            coverage {none, neural, linguistic}, coverage_gate, fertility (N; 0 = none),
                                       decoder_cell {gru, cgru}, readout_state {new, old}, scale
                    log_probabilities  [sentence][target token] ln p of the token
                    attention          [target token][source token] weights of the first sentence
                    coverage           [source token][dimension] of the first sentence after the last step (which
                                       no step reads); dimension 1 if linguistic; not with `none`
"""
import importlib.util
import json
import os
import re

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("transformer", os.path.join(here, "../transformer/generate.py"))
t = importlib.util.module_from_spec(spec)
spec.loader.exec_module(t)

V_SRC, V_TGT, E, H, D = 13, 17, 6, 5, 4
SOURCES = [[5, 9, 4, 7, 8, 2], [6, 12, 2], [2], [3, 11, 5, 10, 2]]
TARGETS = [[4, 12, 16, 7, 2], [9, 5, 6, 3, 11, 8, 2], [14, 2], [2]]

BASE = dict(coverage="none", coverage_gate=True, fertility=0, decoder_cell="gru", readout_state="new", scale=4)
NEURAL = dict(BASE, coverage="neural")
VARIANTS = {
    "none": dict(BASE, scale=1),
    "none_scaled": dict(BASE),
    "neural": dict(NEURAL),
    "neural_ungated": dict(NEURAL, coverage_gate=False),
    "linguistic": dict(BASE, coverage="linguistic"),
    "linguistic_fertility": dict(BASE, coverage="linguistic", fertility=2),
    "cgru_neural": dict(NEURAL, decoder_cell="cgru"),
    "cgru": dict(BASE, decoder_cell="cgru"),
    "readout_old": dict(NEURAL, readout_state="old"),
    "cgru_readout_old": dict(BASE, decoder_cell="cgru", readout_state="old"),
}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    w = np.exp(x - x.max())
    return w / w.sum()


def log_softmax(x):
    return x - x.max() - np.log(np.exp(x - x.max()).sum())


def values(name, shape, o):
    return o["scale"] * t.values(name, shape)


def gated(a, v, h):
    """The new state of a GRU; `a` is computed from the inputs [3H], `v` from the state h before the reset."""
    r, u = sigmoid(a[:H] + v[:H]), sigmoid(a[H:2 * H] + v[H:2 * H])
    c = np.tanh(a[2 * H:] + r * v[2 * H:])
    return u * h + (1 - u) * c


def gru(x, h, name, o, added=0):
    a = values(name + ".weight_ih", (3 * H, E), o) @ x + values(name + ".bias_ih", (3 * H,), o) + added
    return gated(a, values(name + ".weight_hh", (3 * H, H), o) @ h, h)


def encode(source, o):
    """Annotations [T, 2H]."""
    x = values("encoder.embed_tokens.weight", (V_SRC, E), o)[source]

    def states(rows, name):
        h, result = np.zeros(H), []
        for row in rows:
            h = gru(row, h, name, o)
            result.append(h)
        return result

    forward = states(x, "encoder.forward_rnn")
    backward = states(x[::-1], "encoder.backward_rnn")[::-1]
    return np.array([np.concatenate(pair) for pair in zip(forward, backward)])


class Decoder:
    """The state of the decoder within one sentence. `tags` [T, n_p] may change between steps."""

    def __init__(self, source, o, tags=None):
        self.o = o
        self.h = encode(source, o)
        self.tags = np.zeros((len(source), 0)) if tags is None else tags
        self.s = np.tanh(self.of("decoder.initial_state.weight", H, 2 * H) @ self.h.mean(0)
                         + self.of("decoder.initial_state.bias", H))
        self.C = np.zeros((len(source), 1 if o["coverage"] == "linguistic" else D))

    def of(self, name, *shape):
        return values(name, shape, self.o)

    def wide(self, name, tags_name, rows):
        """A map from [h; tag]: [rows, 2H + n_p]."""
        slots = self.tags.shape[1]
        columns = [self.of(name, rows, 2 * H)] + ([self.of(tags_name, rows, slots)] if slots else [])
        return np.concatenate(columns, 1)

    def step(self, fed):
        """Makes a step with the input `fed` (None: no token); sets s, the state before it, the embedding e, the weights
        alpha and the context c."""
        cgru = self.o["decoder_cell"] == "cgru"
        self.e = np.zeros(E) if fed is None else self.of("decoder.embed_tokens.weight", V_TGT, E)[fed]
        self.old_s = self.s
        self.annotations = np.concatenate([self.h, self.tags], 1)
        query = gru(self.e, self.s, "decoder.rnn", self.o) if cgru else self.s
        self.alpha = softmax(np.array([self.energy(j, query) for j in range(len(self.h))]))
        self.c = sum(a * row for a, row in zip(self.alpha, self.annotations))
        self.C = np.array([self.covered(j) for j in range(len(self.h))])
        if cgru:
            name = "decoder.rnn2"
            a = self.wide(name + ".context.weight", name + ".context_tags.weight", 3 * H) @ self.c
            v = self.of(name + ".weight_hh", 3 * H, H) @ query + self.of(name + ".bias_hh", 3 * H)
            self.s = gated(a, v, query)
        else:
            added = self.wide("decoder.rnn.context.weight", "decoder.rnn.context_tags.weight", 3 * H) @ self.c
            self.s = gru(self.e, self.s, "decoder.rnn", self.o, added)

    def energy(self, j, query):
        name = "decoder.attention"
        inner = self.wide(name + ".source.weight", name + ".tags.weight", 2 * H) @ self.annotations[j]
        inner += self.of(name + ".source.bias", 2 * H) + self.of(name + ".state.weight", 2 * H, H) @ query
        if self.o["decoder_cell"] == "gru":
            inner += self.of(name + ".embedding.weight", 2 * H, E) @ self.e
        if self.o["coverage"] != "none":
            inner += self.of(name + ".coverage.weight", 2 * H, self.C.shape[1]) @ self.C[j]
        return self.of(name + ".energy.weight", 1, 2 * H)[0] @ np.tanh(inner) + self.of(name + ".energy.bias", 1)[0]

    def covered(self, j):
        """C_tj from C_{t-1,j}, alpha_tj, the annotation and s_{t-1}."""
        C, alpha, o = self.C[j], self.alpha[j], self.o
        if o["coverage"] == "none":
            return C
        if o["coverage"] == "linguistic":
            u = self.of("decoder.coverage.fertility.weight", 1, 2 * H)[0] if o["fertility"] else None
            return C + alpha / (o["fertility"] * sigmoid(u @ self.h[j]) if o["fertility"] else 1)
        name, rows = "decoder.coverage", 3 * D if o["coverage_gate"] else D
        i = self.of(name + ".attention.weight", rows, 1)[:, 0] * alpha
        i = i + self.wide(name + ".source.weight", name + ".source_tags.weight", rows) @ self.annotations[j]
        i = i + self.of(name + ".state.weight", rows, H) @ self.old_s
        W = self.of(name + ".hidden.weight", rows, D)
        if not o["coverage_gate"]:
            return np.tanh(W @ C + i)
        z, r = sigmoid(W[:D] @ C + i[:D]), sigmoid(W[D:2 * D] @ C + i[D:2 * D])
        return z * np.tanh(W[2 * D:] @ (r * C) + i[2 * D:]) + (1 - z) * C

    def features(self, name, s, rows):
        """U s + C c + V e, with which every readout begins."""
        return (self.of(name + ".state.weight", rows, H) @ s + self.of(name + ".embedding.weight", rows, E) @ self.e
                + self.wide(name + ".context.weight", name + ".context_tags.weight", rows) @ self.c)

    def word_logits(self):
        s = self.old_s if self.o["readout_state"] == "old" else self.s
        inner = np.tanh(self.features("decoder.readout", s, E) + self.of("decoder.readout.bias", E))
        return (self.of("decoder.output_projection.weight", V_TGT, E) @ inner
                + self.of("decoder.output_projection.bias", V_TGT))


def results_of(o):
    result = {"options": o, "log_probabilities": []}
    for source, target in zip(SOURCES, TARGETS):
        decoder, attention, scores = Decoder(source, o), [], []
        for fed, y in zip([None] + target, target):
            decoder.step(fed)
            attention.append(decoder.alpha.tolist())
            scores.append(float(log_softmax(decoder.word_logits())[y]))
        result["log_probabilities"].append(scores)
        if source is SOURCES[0]:
            result["attention"] = attention
            if o["coverage"] != "none":
                result["coverage"] = decoder.C.tolist()
    return result


def write(result):
    """JSON of 13 decimals, a list of numbers on one line."""
    text = json.dumps(json.loads(json.dumps(result), parse_float=lambda x: round(float(x), 13)), indent=1)
    print(re.sub(r"\[[-+.\de,\s]+\]", lambda found: "[" + " ".join(found[0][1:-1].split()) + "]", text))


def main():
    write({"sizes": dict(source_vocabulary=V_SRC, target_vocabulary=V_TGT, embedding=E, hidden=H, coverage_dim=D),
           "sources": SOURCES, "targets": TARGETS, "variants": {name: results_of(o) for name, o in VARIANTS.items()}})


if __name__ == "__main__":
    main()
