"""Golden values of small phraseNets (Tang et al. 2016), computed independently of phraseq.

Written from the paper's equations in double precision with NumPy only: one sentence at a time, on the RNNsearch
of ../rnnsearch/generate.py, whose annotations grow by a one-hot tag of n_p = 3 values. Slots are numbered from 0.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

golden.json:
  sizes      vocabularies, embedding E, hidden H, coverage_dim, slots n_p, gate_hidden G
  sentences  source, target (ids, </s> at the end) and phrases, slot by slot: places of the source the phrase covers,
             target ids (3 = a word outside the vocabulary), span_begin = place of the first word of the aligned span
             in the target (-1 = a candidate that the target does not have)
  variants   name -> options and two lists
    options  those of ../rnnsearch, pn_variant {gate, softmax}, gate_act {noisy-tanh, noisy-tanh-half, tanh},
             gate_residual {post, pre}, mask_used {no, decode, both}, reset_on_word_match (at test time only)
    forced   one entry per sentence, with the target as input; a span's tags are reset after its last word
      word_log_probabilities  [target token] ln p of the token in word mode, 1 - g or the joint softmax included
      gate                    [target token] g, 0 where no slot is available; gate variant only
      slot_log_probabilities  [target token][slot] ln p of the slot, g or the joint softmax included; -1e30 where masked
      token_loss              [target token] -ln of the span's mixture of both modes at its first word (of the phrase
                              mode alone if the phrase has a word outside the vocabulary), 0 at its other words, and
                              -ln p of the word outside spans
      loss                    their sum
    derivations  of some sentences, as at test time: a phrase's words follow without a decision, then its tags are reset
      sentence   its number
      steps      one per target word. choice: a word, vocabulary + slot, or -1 while a phrase is generated;
                 word: the generated word, which is the next input (3 for a word outside the vocabulary);
                 log_probability: of the choice, 0 without one;
                 distribution: [vocabulary + n_p] ln p, -1e30 where masked; empty without a choice
      score      sum of the log-probabilities
"""
import importlib.util
import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("rnnsearch", os.path.join(here, "../rnnsearch/generate.py"))
r = importlib.util.module_from_spec(spec)
spec.loader.exec_module(r)

V, E, H, P, G = r.V_TGT, r.E, r.H, 3, 7
UNK, EOS, MASKED = 3, 2, -1e30


def phrase(places, target, span_begin=-1):
    return {"places": places, "target": target, "span_begin": span_begin}


SENTENCES = [
    # all slots; one is only a candidate, one phrase is a single word, spans are in source order
    {"source": [5, 9, 4, 7, 8, 2], "target": [6, 12, 4, 5, 7, 2],
     "phrases": [phrase([0, 1], [12, 4], 1), phrase([3], [7], 4), phrase([4], [9, 12, 4])]},
    {"source": [6, 10, 2], "target": [9, 5, 2], "phrases": []},
    # a repeated phrase with a slot for each occurrence
    {"source": [4, 11, 4, 12, 2], "target": [8, 13, 5, 8, 13, 2],
     "phrases": [phrase([0], [8, 13], 0), phrase([2], [8, 13], 3)]},
    # a word outside the vocabulary in the phrase, and one outside of spans
    {"source": [3, 8, 12, 2], "target": [5, 3, 14, 3, 2], "phrases": [phrase([0, 1], [3, 14], 1)]},
    # one slot for two occurrences, whose word occurs again outside of the span
    {"source": [7, 5, 10, 7, 2], "target": [15, 6, 11, 11, 2],
     "phrases": [phrase([0, 3], [11], 2), phrase([1], [11, 6])]},
    # adjacent spans in the other order, beginning at the first word
    {"source": [10, 11, 12, 2], "target": [14, 15, 16, 2], "phrases": [phrase([0], [16], 2), phrase([1, 2], [14, 15], 0)]},
    # everything except </s> is one span; later, no slot is available with mask_used = both
    {"source": [9, 2], "target": [13, 6, 4, 2], "phrases": [phrase([0], [13, 6, 4], 0)]},
    {"source": [2], "target": [2], "phrases": []},
]
GATE = dict(r.NEURAL, pn_variant="gate", gate_act="noisy-tanh", gate_residual="post", mask_used="no",
            reset_on_word_match=False)
SOFTMAX = dict(GATE, pn_variant="softmax")
VARIANTS = {
    "gate": dict(GATE, scale=1),
    "gate_scaled": dict(GATE),
    "gate_residual_pre": dict(GATE, gate_residual="pre"),
    "gate_half_normal": dict(GATE, gate_act="noisy-tanh-half"),
    "gate_tanh": dict(GATE, gate_act="tanh"),
    "gate_no_coverage": dict(GATE, coverage="none"),
    "gate_ungated_coverage": dict(GATE, coverage_gate=False),
    "gate_fertility": dict(GATE, coverage="linguistic", fertility=2),
    "gate_cgru": dict(GATE, decoder_cell="cgru"),
    "gate_readout_old": dict(GATE, readout_state="old"),
    "gate_mask_decode": dict(GATE, mask_used="decode"),
    "gate_mask_both": dict(GATE, mask_used="both"),
    "gate_word_match": dict(GATE, mask_used="decode", reset_on_word_match=True),
    "softmax": dict(SOFTMAX, scale=1),
    "softmax_scaled": dict(SOFTMAX),
    "softmax_no_coverage": dict(SOFTMAX, coverage="none"),
    "softmax_cgru": dict(SOFTMAX, decoder_cell="cgru"),
    "softmax_mask_both": dict(SOFTMAX, mask_used="both"),
}
DERIVATIONS = [
    (0, [6, V + 0, 5, V + 1, V + 2, EOS]),  # two, one and three words
    (1, [9, EOS]),
    (2, [8, 13, 5, V + 1, 7, EOS]),  # the words of both slots in word mode, then one slot
    (3, [V + 0, 14, EOS]),
    (5, [14, V + 0, 15, V + 1, EOS]),
    (6, [13, 6, 4, V + 0, EOS]),
]
USED_TWICE = [(6, [V + 0, V + 0, EOS]), (4, [V + 0, 11, V + 0, V + 1, EOS])]
WORD_MATCH = [
    (0, [9, 12, 4, 12, 4, 7, EOS]),  # slot 2, which is the longer one, then 0, then 1
    (2, [8, 13, 8, 13, EOS]),  # slot 0, then 1
    (2, [V + 0, 5, 8, 13, EOS]),  # words of phrase mode match nothing (slot 1 at the end only)
    (4, [V + 0, 6, EOS]),  # and they do not begin a match either
    (3, [UNK, 14, 5, EOS]),  # a word outside the vocabulary matches nothing either
]
DERIVED = {  # for all other variants, the first derivation
    "gate_scaled": DERIVATIONS + USED_TWICE,
    "gate_mask_decode": DERIVATIONS,
    "gate_word_match": WORD_MATCH,
    "softmax_scaled": DERIVATIONS + USED_TWICE,
    "softmax_mask_both": DERIVATIONS,
}


def log_sigmoid(x):
    return -np.logaddexp(0, -x)


class PhraseNet(r.Decoder):
    def __init__(self, source, phrases, o):
        tags = np.zeros((len(source), P))
        for slot, each in enumerate(phrases):
            tags[each["places"], slot] = 1
        super().__init__(source, o, tags)
        self.phrases = phrases
        self.available = np.arange(P) < len(phrases)
        self.active = np.arange(P) < len(phrases)

    def reset(self, slot, mask):
        """Sets tags from the next step on."""
        self.tags = self.tags.copy()
        self.tags[:, slot] = 0
        self.active[slot] = False
        if mask:
            self.available[slot] = False

    def gate_logit(self):
        self.saturated = [0, 0]

        def activation(layer, x):
            self.saturated[layer] = int((np.abs(x) > 1).sum())
            kind = self.o["gate_act"]
            if kind == "tanh":
                return np.tanh(x)
            hard = np.clip(x, -1, 1)
            y = 1.15 * hard - 0.15 * x
            if kind == "noisy-tanh-half":
                p = self.of(f"decoder.gate.noise{layer + 1}", G)
                y += np.sign(x) * 0.5 * (r.sigmoid(p * (hard - x)) - 0.5) ** 2 * 0.797
            return y

        name = "decoder.gate"
        a1 = activation(0, self.features(name, self.s, G) + self.of(name + ".bias", G))
        x2 = self.of(name + ".hidden.weight", G, G) @ a1 + self.of(name + ".hidden.bias", G)
        a2 = activation(1, x2 + a1) if self.o["gate_residual"] == "pre" else activation(1, x2) + a1
        return self.of(name + ".output.weight", 1, G)[0] @ a2 + self.of(name + ".output.bias", 1)[0]

    def phrase_embedding(self, slot):
        """The backward GRU's state at the first word."""
        h = np.zeros(H)
        for word in reversed(self.phrases[slot]["target"]):
            h = r.gru(self.of("decoder.embed_tokens.weight", V, E)[word], h, "decoder.phrase_rnn", self.o)
        return h

    def slot_logits(self):
        name = "decoder.phrase_readout"
        features = self.features(name, self.s, E)
        if self.o["pn_variant"] == "gate":
            return self.of("decoder.phrase_output.weight", P, E) @ np.tanh(features + self.of(name + ".bias", E))
        w, R = self.of("decoder.phrase_output.weight", 1, E)[0], self.of(name + ".phrase.weight", E, H)
        return np.array([w @ np.tanh(features + R @ self.phrase_embedding(k)) if k < len(self.phrases) else 0
                         for k in range(P)])

    def distribution(self):
        """(ln p of words and slots [V + n_p], g)."""
        words, slots, g = self.word_logits(), np.full(P, MASKED), 0.0
        if not self.available.any():
            words = r.log_softmax(words)
        elif self.o["pn_variant"] == "gate":
            logit = self.gate_logit()
            g = float(r.sigmoid(logit))
            words = log_sigmoid(-logit) + r.log_softmax(words)
            slots[self.available] = log_sigmoid(logit) + r.log_softmax(self.slot_logits()[self.available])
        else:
            joint = r.log_softmax(np.concatenate([words, self.slot_logits()[self.available]]))
            words, slots[self.available] = joint[:V], joint[V:]
        assert abs(np.exp(words).sum() + np.exp(slots).sum() - 1) < 1e-12
        return np.concatenate([words, slots]), g


def forced(sentence, o):
    target, phrases = sentence["target"], sentence["phrases"]
    decoder = PhraseNet(sentence["source"], phrases, o)
    plain = r.Decoder(sentence["source"], o)
    last_word = {each["span_begin"] + len(each["target"]) - 1: slot for slot, each in enumerate(phrases)
                 if each["span_begin"] >= 0}
    scores, gates, slots, saturated = [], [], [], []
    for i, (fed, y) in enumerate(zip([None] + target, target)):
        decoder.step(fed)
        p, g = decoder.distribution()
        scores.append(p[y])
        gates.append(g)
        slots.append(p[V:V + len(phrases)].tolist())
        saturated.append(getattr(decoder, "saturated", [0, 0]))
        if i in last_word:
            decoder.reset(last_word[i], mask=o["mask_used"] == "both")
        if not phrases:
            plain.step(fed)
            assert np.allclose(p[:V], r.log_softmax(plain.word_logits()), rtol=0, atol=1e-13)
    loss = [-score for score in scores]
    for slot, each in enumerate(phrases):
        begin, m = each["span_begin"], len(each["target"])
        if begin < 0:
            continue
        assert target[begin:begin + m] == each["target"]
        by_word = -np.inf if UNK in each["target"] else sum(scores[begin:begin + m])
        loss[begin:begin + m] = [-np.logaddexp(by_word, slots[begin][slot])] + [0] * (m - 1)
    result = {"word_log_probabilities": [float(x) for x in scores]}
    if o["pn_variant"] == "gate":
        result["gate"] = gates
    result |= {"slot_log_probabilities": slots, "token_loss": [float(x) for x in loss], "loss": float(sum(loss))}
    return result, np.array(saturated).sum(0)


def matched_slot(decoder, said):
    """The active slot whose target equals the last words, all in word mode; the longest, then the lowest."""
    found = [slot for slot, each in enumerate(decoder.phrases)
             if decoder.active[slot] and UNK not in each["target"] and said[-len(each["target"]):] == each["target"]]
    return max(found, key=lambda slot: (len(decoder.phrases[slot]["target"]), -slot), default=None)


def derivation(number, choices, o):
    sentence, mask = SENTENCES[number], o["mask_used"] != "no"
    decoder, choices = PhraseNet(sentence["source"], sentence["phrases"], o), list(choices)
    fed, queue, running, said, steps = None, [], None, [], []
    while choices or queue:
        decoder.step(fed)
        choice, log_p, distribution = -1, 0.0, []
        if not queue:
            choice = choices.pop(0)
            p, _ = decoder.distribution()
            log_p, distribution = float(p[choice]), p.tolist()
            assert log_p > -1e3
            if choice >= V:
                running = choice - V
                queue, said = list(sentence["phrases"][running]["target"]), []
        if queue:
            fed = queue.pop(0)
            if not queue:
                decoder.reset(running, mask)
        else:
            fed = choice
            said.append(choice)
            match = matched_slot(decoder, said) if o["reset_on_word_match"] else None
            if match is not None:
                decoder.reset(match, mask)
        steps.append({"choice": choice, "word": fed, "log_probability": log_p, "distribution": distribution})
    return {"sentence": number, "steps": steps, "score": sum(step["log_probability"] for step in steps)}


def results_of(name, o):
    entries, saturated = zip(*[forced(sentence, o) for sentence in SENTENCES])
    if o["pn_variant"] == "gate" and o["scale"] > 1:
        assert min(sum(saturated)) > 0, "the noisy tanh is never bent"
    return {"options": o, "forced": list(entries),
            "derivations": [derivation(*each, o) for each in DERIVED.get(name, DERIVATIONS[:1])]}


def main():
    r.write({"sizes": dict(source_vocabulary=r.V_SRC, target_vocabulary=V, embedding=E, hidden=H, coverage_dim=r.D,
                           slots=P, gate_hidden=G),
             "sentences": SENTENCES, "variants": {name: results_of(name, o) for name, o in VARIANTS.items()}})


if __name__ == "__main__":
    main()
