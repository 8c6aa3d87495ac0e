#!/usr/bin/env python3
"""Hypotheses of fairseq 0.12.2's own SequenceGenerator and search classes over a artificial language.

Run:  python generate.py > hypotheses.json
Made with Python 3.11, torch 2.13.0 (CPU) and the source of fairseq 0.12.2 on PYTHONPATH, numpy 1.26.4.

The language gives every symbol after every past a logit that is computed from the seed, the number of the
sentence and the past with 64-bit integers; fairseq_search_test.cpp computes the same numbers. All searches work
in double precision.
"""
import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fairseq_dataclasses  # noqa: E402, F401

from fairseq import search  # noqa: E402
from fairseq.data import Dictionary  # noqa: E402
from fairseq.sequence_generator import EnsembleModel, SequenceGenerator  # noqa: E402
from fairseq.token_generation_constraints import pack_constraints  # noqa: E402

MASK = (1 << 64) - 1
WORDS = 16  # after the four special symbols


def mix(x):
    """The finalizer of splitmix64."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def logits(seed, sentence, past, columns):
    state = mix(seed * 1000003 + sentence + 1)
    for token in past:
        state = mix((state * 31 + token + 1) & MASK)
    values = [6.0 * (mix((state + column * 0x9E3779B97F4A7C15) & MASK) >> 11) / (1 << 53)
              for column in range(columns)]
    values[2] += 0.5 * len(past) - 2  # </s> becomes more probable with the length
    return values


class Language(EnsembleModel):
    """Replaces a model: the language determines all probabilities."""

    def __init__(self, seed, columns):
        torch.nn.Module.__init__(self)
        self.seed, self.columns, self.models_size = seed, columns, 1

    def eval(self):
        return self

    def set_decoder_beam_size(self, beam_size):
        pass

    def max_decoder_positions(self):
        return 1000

    def forward_encoder(self, net_input):
        return [net_input["src_tokens"][:, 0]]  # the number of each sentence

    def reorder_encoder_out(self, encoder_outs, new_order):
        return [encoder_outs[0].index_select(0, new_order)]

    def reorder_incremental_state(self, incremental_states, new_order):
        pass

    def forward_decoder(self, tokens, encoder_outs, incremental_states, temperature=1.0):
        rows = [logits(self.seed, int(sentence) - 4, past[1:], self.columns)
                for sentence, past in zip(encoder_outs[0], tokens.tolist())]
        scores = torch.tensor(rows, dtype=torch.float64) / temperature
        return torch.log_softmax(scores, dim=1), None


def dictionary():
    made = Dictionary()
    for number in range(WORDS):
        made.add_symbol(f"w{number}")
    return made


def strategy(case, symbols):
    if case.get("groups"):
        return search.DiverseBeamSearch(symbols, case["groups"], case["strength"])
    if case.get("rate") is not None:
        return search.DiverseSiblingsSearch(symbols, case["rate"])
    if case.get("constraints"):
        return search.LexicallyConstrainedBeamSearch(symbols, case["constraints"])
    return search.BeamSearch(symbols)


def run(case):
    symbols = dictionary()
    generator = SequenceGenerator(
        Language(case["seed"], len(symbols)), symbols, beam_size=case["beam"], max_len_a=0, max_len_b=case["max_len"],
        min_len=case.get("min_len", 1), temperature=case.get("temperature", 1.0), len_penalty=case.get("lenpen", 1.0),
        no_repeat_ngram_size=case.get("no_repeat", 0), search_strategy=strategy(case, symbols))
    sentences = case["sentences"]
    source = torch.tensor([[4 + number, 2] for number in range(sentences)])
    options = {}
    if case.get("constraints"):
        options["constraints"] = pack_constraints(
            [[torch.tensor(phrase) for phrase in phrases] for phrases in case["phrases"]])
    if case.get("prefix"):
        options["prefix_tokens"] = torch.tensor([case["prefix"]] * sentences)
    found = generator.generate([], {"net_input": {"src_tokens": source}}, **options)
    return [[{"tokens": h["tokens"].tolist(), "score": round(float(h["score"]), 5),
              "token_scores": [round(float(x), 5) for x in h["positional_scores"]]} for h in hypotheses]
            for hypotheses in found]


def repeats_ngrams(case):
    """Whether a hypothesis has an n-gram twice that --no-repeat-ngram-size forbids."""
    n = case.get("no_repeat", 0)
    for hypotheses in case["hypotheses"] if n else []:
        for hypothesis in hypotheses:
            ngrams = list(zip(*[hypothesis["tokens"][i:] for i in range(n)]))
            if len(ngrams) != len(set(ngrams)):
                return True
    return False


def cases():
    for seed in range(1, 3):
        yield {"seed": seed, "sentences": 2, "beam": 4, "max_len": 12, "temperature": 0.7 + 0.3 * seed}
        for beam, groups, strength in [(4, 2, 0.5), (6, 3, 0.5), (6, 2, 1.5), (4, 4, 0.8), (6, 1, 0.5)]:
            yield {"seed": seed, "sentences": 3, "beam": beam, "max_len": 12, "groups": groups, "strength": strength}
        yield {"seed": seed, "sentences": 2, "beam": 6, "max_len": 9, "groups": 3, "strength": 0.7, "min_len": 4,
               "no_repeat": 2}
        yield {"seed": seed, "sentences": 2, "beam": 4, "max_len": 9, "groups": 2, "strength": 0.6, "prefix": [7, 9]}
        for beam, rate in [(4, 0.3), (5, 1.2), (6, 0.0)]:
            yield {"seed": seed, "sentences": 3, "beam": beam, "max_len": 12, "rate": rate}
        yield {"seed": seed, "sentences": 2, "beam": 4, "max_len": 9, "rate": 0.5, "min_len": 3, "lenpen": 0.6}
        for kind in ["ordered", "unordered"]:
            for beam in [4, 7]:
                for phrases in [
                    [[[5]], [[9, 8]], []],
                    [[[6, 7], [10]], [[4, 4], [4]], [[12], [13], [14]]],
                    [[[8, 9], [8, 9, 10]], [[11, 12, 11]], [[5], [5], [6, 5]]],
                ]:
                    yield {"seed": seed, "sentences": 3, "beam": beam, "max_len": 25, "constraints": kind,
                           "phrases": phrases}
            yield {"seed": seed, "sentences": 1, "beam": 5, "max_len": 25, "constraints": kind,
                   "phrases": [[[9], [7, 6]]], "lenpen": 1.4}


if __name__ == "__main__":
    torch.manual_seed(1)
    lines = []
    for case in cases():
        try:
            case["hypotheses"] = run(case)
        except AssertionError:  # fairseq stops if no hypothesis meets all constraints at the maximum length
            print("left out:", json.dumps(case), file=sys.stderr)
            continue
        if repeats_ngrams(case):  # fairseq breaks its own rule here
            print("left out:", json.dumps(case), file=sys.stderr)
            continue
        lines.append(json.dumps(case, separators=(",", ":")))
    print("[\n" + ",\n".join(lines) + "\n]")
