#!/usr/bin/env python3
"""Writes two random models of Marian and their translations by pymarian: generate.py FOLDER

Made with pymarian 1.12.42 and NumPy 2. A line of MODEL.greedy.txt and MODEL.beam4.txt is the sum of the
log-probabilities, a TAB and the translation.
"""
import pathlib
import random
import sys

FOLDER = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "interop"))
from marian_models import RandomModel, by_marian, vocabulary_yml, words_of  # noqa: E402

SIZES = (40, 50)
LONGEST = 4  # tokens per token of the source
random.seed(7)
vocabularies = []
for side, size in zip(("source", "target"), SIZES):
    vocabularies.append(FOLDER / f"vocab.{side}.yml")
    vocabularies[-1].write_text(vocabulary_yml(side[0], size))
(FOLDER / "model.npz.decoder.yml").write_text(
    "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.source.yml\n  - vocab.target.yml\n"
    "beam-size: 4\nnormalize: 0\nword-penalty: 0\n")
lines = [" ".join(random.choices(words_of("s", SIZES[0]), k=random.randint(1, 10))) for _ in range(40)]
(FOLDER / "source.txt").write_text("".join(line + "\n" for line in lines))
MODELS = {"model": dict(transformer_ffn_activation="swish"),
          "ssru": dict(transformer_decoder_autoreg="rnn", dec_cell="ssru")}
for model, changes in MODELS.items():
    RandomModel(7, *SIZES, **changes).save(FOLDER / f"{model}.npz")
    for name, beam in (("greedy", 1), ("beam4", 4)):
        found = by_marian(FOLDER / f"{model}.npz", vocabularies, lines, beam, LONGEST)
        (FOLDER / f"{model}.{name}.txt").write_text("".join(f"{score:.4f}\t{line}\n" for line, score in found))
