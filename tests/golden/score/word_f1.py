"""F1 of words by their frequency in a training text, by compare-mt 0.2.10, for artificial short sentences.

Run:  python3 word_f1.py > word_f1.json      (made with Python 3.11, compare-mt 0.2.10)
"""
import contextlib
import json
import random
import sys

from compare_mt import bucketers

random.seed(7)
# The later a word, the rarer; the last ones are not in the training text.
words = ["der", "Der", "ein", "Hund", "läuft", "Straße", ",", ".", "grün", "Katze", "schläft", "Vogel", "<unk>", "neu"]
weights = [64, 8, 32, 16, 16, 8, 32, 32, 4, 4, 2, 2, 1, 1]


def sentence(known):
    return random.choices(words[:known], weights[:known], k=random.randrange(0, 14))


def noisy(reference):
    return [random.choices(words, weights)[0] if random.random() < 0.4 else word
            for word in reference if random.random() < 0.9]


train = [sentence(12) for _ in range(30)]
reference = [sentence(14) for _ in range(40)]
outputs = [[noisy(line) for line in reference] for _ in range(2)]
edges = [1, 2, 5, 10, 50]
cases = []
for lowercase in (False, True):
    with contextlib.redirect_stdout(sys.stderr):
        bucketer = bucketers.FreqWordBucketer(freq_data=train, bucket_cutoffs=edges, case_insensitive=lowercase)
    statistics = bucketer.calc_statistics(reference, outputs)[0]
    cases.append({"lowercase": lowercase,
                  "words": [int(bucket[1]) for bucket in statistics[0]],
                  "f1": [[100 * float(bucket[5]) for bucket in output] for output in statistics]})


def lines(text):
    return [" ".join(line) for line in text]


print(json.dumps({"edges": edges, "train": lines(train), "reference": lines(reference),
                  "outputs": [lines(output) for output in outputs], "cases": cases}, ensure_ascii=False, indent=1))
