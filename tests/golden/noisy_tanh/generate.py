"""Golden values of the gate's noisy tanh in training (Gulcehre et al. 2016), computed independently of phraseq.

Written from the authors' published code (noisy_units, codes/theano/nunits.py) in double precision with NumPy only:
NTanhP has a learned scale p for each unit, NTanh has none and takes the sigmoid of the squared distance.
Run:  python3 generate.py > golden.json        (made with Python 3.11, NumPy 2)

golden.json: a list of cases
  x, drawn     inputs and noise, one per unit
  p            [unit] of NTanhP, null for NTanh
  c, alpha     settings
  half_normal  whether the noise is |drawn|, the values in `drawn` are then not negative
  y            results
"""
import json
import sys

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ntanh(x, noise, alpha, c):
    """NTanh(x, alpha, c): "NAN without learning p"."""
    threshold = 1.0
    signs = np.sign(x)
    delta = np.abs(x) - threshold
    scale = c * (sigmoid(delta ** 2) - 0.5) ** 2
    eps = scale * noise + alpha * delta
    return np.where(np.abs(x) >= threshold, x - signs * eps, x)


def ntanh_p(x, p, noise, alpha, c, half_normal):
    """NTanhP(x, p, alpha, c): "NAN with learning p"."""
    hard = np.minimum(np.maximum(x, -1), 1)
    delta = hard - x
    scale = c * (sigmoid(p * delta) - 0.5) ** 2
    if half_normal and alpha > 1.0:
        scale = scale * -1
    return alpha * hard + (1 - alpha) * x - np.sign(x) * scale * noise


def main():
    random = np.random.default_rng(16)
    x = np.array([-7, -2.5, -1.25, -1, -0.5, 0, 0.25, 1, 1.0625, 1.75, 3, 12])
    cases = []
    for alpha, c in ((1.15, 0.5), (1.0, 0.5), (0.75, 2.0)):
        drawn = random.standard_normal(len(x))
        p = random.uniform(0.25, 2, len(x))
        settings = {"x": x.tolist(), "c": c, "alpha": alpha}
        cases.append(settings | {"drawn": drawn.tolist(), "p": None, "half_normal": False,
                                 "y": ntanh(x, drawn, alpha, c).tolist()})
        cases.append(settings | {"drawn": drawn.tolist(), "p": p.tolist(), "half_normal": False,
                                 "y": ntanh_p(x, p, drawn, alpha, c, False).tolist()})
        half = np.abs(drawn)
        cases.append(settings | {"drawn": half.tolist(), "p": p.tolist(), "half_normal": True,
                                 "y": ntanh_p(x, p, half, alpha, c, True).tolist()})
    json.dump(cases, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
