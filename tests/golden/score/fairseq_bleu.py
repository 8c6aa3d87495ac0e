#!/usr/bin/env python3
"""Writes fairseq_bleu.jsonl: results of fairseq 0.12.2's scorer on random texts. fairseq_bleu.py FAIRSEQ LIBBLEU > FILE

FAIRSEQ is fairseq's source folder, also on PYTHONPATH; LIBBLEU is its fairseq/clib/libbleu/libbleu.cpp compiled with
`g++ -shared -fPIC`. Each row has the lines, the results of the orders 1 to 4, and the smoothed results of the
sentences. (`fairseq-score --sentence-bleu` of 0.12.2 ends with a TypeError; these are what its scorer prints.)
"""
import json
import pathlib
import random
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fairseq_dataclasses  # noqa: E402, F401

library = types.ModuleType("fairseq.libbleu")
library.__file__ = sys.argv[2]
sys.path.insert(0, sys.argv[1])
import fairseq  # noqa: E402

sys.modules["fairseq.libbleu"] = fairseq.libbleu = library
from fairseq.data.dictionary import Dictionary  # noqa: E402
from fairseq.scoring.bleu import BleuConfig, Scorer  # noqa: E402

random.seed(5)
WORDS = ["a", "b", "c", "d", "A", "\u00dc", "\u00fc", "<unk>", "<pad>", "</s>", "<s>", "the", "\u4e2d\u6587"]
SPACES = [" ", "  ", "\t", "\u00a0", "\u3000"]


def line(length):
    return "".join(random.choice(WORDS) + random.choice(SPACES) for _ in range(length)).rstrip()


def vary(text):
    words = [w for w in text.split() if random.random() > 0.15]
    return " ".join(random.choice(WORDS) if random.random() < 0.15 else w for w in words)


def scorer(one_init):
    dictionary = Dictionary()
    made = Scorer(BleuConfig(pad=dictionary.pad(), eos=dictionary.eos(), unk=dictionary.unk()))
    made.reset(one_init=one_init)
    return dictionary, made


def add(dictionary, made, system, reference):
    system, reference = dictionary.encode_line(system), dictionary.encode_line(reference)
    made.add(reference, system)


for _ in range(60):
    references = [line(random.choice([0, 1, 2, 5, 9, 14])) for _ in range(random.randint(1, 6))]
    systems = [vary(r) if random.random() < 0.9 else line(4) for r in references]
    dictionary, corpus = scorer(False)
    sentences = []
    for system, reference in zip(systems, references):
        add(dictionary, corpus, system, reference)
        single_dictionary, single = scorer(True)
        add(single_dictionary, single, system, reference)
        sentences.append([single.result_string(order) for order in range(1, 5)])
    print(json.dumps({"systems": systems, "references": references,
                      "results": [corpus.result_string(order) for order in range(1, 5)], "sentences": sentences}))
