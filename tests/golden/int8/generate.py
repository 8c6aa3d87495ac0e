"""Golden log-probabilities of the Transformers of tests/golden/transformer with 8-bit products.

In double precision with NumPy only. Every row of a weight and every row that it multiplies becomes
integers from -127 to 127 and a scale, which is the largest magnitude in the row divided by 127; numbers
are rounded to nearest, ties to even. Embeddings, norms, biases, softmax and attention do not change.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)
"""
import importlib.util
import json
import pathlib

import numpy as np

PATH = pathlib.Path(__file__).resolve().parent.parent / "transformer" / "generate.py"
SPEC = importlib.util.spec_from_file_location("transformer", PATH)
transformer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(transformer)


def whole_numbers(rows):
    largest = np.abs(rows).max(-1, keepdims=True)
    return np.rint(rows * (127 / np.where(largest > 0, largest, 1))), largest / 127


def product(x, weight):
    (x_numbers, x_scales), (numbers, scales) = whole_numbers(x), whole_numbers(weight)
    return (x_numbers @ numbers.T) * x_scales * scales.T


def linear(x, name, n_in, n_out, bias):
    y = product(x, transformer.values(name + ".weight", (n_out, n_in)))
    return y + transformer.values(name + ".bias", (n_out,)) if bias else y


def project(x, matrix, vocabulary):
    return product(x, transformer.values(matrix, (vocabulary, transformer.D)))


def main():
    transformer.linear, transformer.project = linear, project
    result = {}
    for name, options in transformer.VARIANTS.items():
        limit = transformer.V_SRC if options["tie"] == "all" else transformer.V_TGT
        targets = [[min(t, limit - 1) for t in y] for y in transformer.TARGETS]
        result[name] = [transformer.log_probabilities(s, t, options)
                        for s, t in zip(transformer.SOURCES, targets)]
    print(json.dumps(result, indent=1))


main()
