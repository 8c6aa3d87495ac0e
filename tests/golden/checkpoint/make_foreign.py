#!/usr/bin/env python3
"""Writes foreign.safetensors: a file written by Python's safetensors, for tests/core/checkpoint.

    pip install safetensors==0.8.0 numpy && python3 make_foreign.py
"""
import pathlib

import numpy
from safetensors.numpy import save_file

tensors = {
    "weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 4,
    "half": numpy.array([1.5, -2.0], dtype=numpy.float16),
    "ids": numpy.array([[7], [-9]], dtype=numpy.int64),
    "flags": numpy.array([True, False, True]),
    "scalar": numpy.array(2.5, dtype=numpy.float64),
    "empty": numpy.zeros((0, 5), dtype=numpy.float32),
}
folder = pathlib.Path(__file__).parent
save_file(tensors, folder / "foreign.safetensors", metadata={"format": "np", "note": "Größe ≠ 0"})
