#!/usr/bin/env python3
"""The speed-up of data-parallel training up to 1,024 GPUs, simulated from the costs of one update.

    docs/diagrams/scaling_curve.py          # prints the table of docs/guide/scaling.md
    docs/diagrams/draw.py                   # draws scaling.svg

The simulation follows core/distributed: gradients are sent in buckets, in the order in which the backward pass
completes them, and are divided into pieces of 4 Mi numbers. For each piece, each process sends one chunk to every other
process and receives one from each, twice (all-to-all, then all-gather), so each process sends 2 (N - 1) / N of its
bytes in 2 (N - 1) messages. A bucket starts when its gradients are complete and the bucket before it is finished.
"""
import math
from dataclasses import dataclass, replace

from drawing import Drawing

GPUS = [1 << power for power in range(11)]


@dataclass(frozen=True)
class Training:
    """One process, in seconds, bytes, and bytes per second."""
    name: str
    compute: float = 25_000 / 920_000  # an update of 25,000 target tokens at 920,000 tokens per second
    forward: float = 1 / 3  # share of the computation; the rest is the backward pass
    parameters: int = 60_500_000  # Transformer base with a joint vocabulary of 32,000
    last: int = 16_400_000  # parameters of the shared embeddings, whose gradient is complete last
    wire: int = 4  # bytes per gradient
    bucket: int = 25 << 20  # bytes of fp32 gradients
    piece: int = 1 << 22  # gradients
    bandwidth: float = 50e9  # per process and direction: one network adapter of 400 Gbit/s for each GPU
    message: float = 2e-6  # for sending one more message
    latency: float = 20e-6  # for each of the two steps of a piece
    batches: int = 1  # --update-freq
    overlap: bool = True


def sum_of_bucket(training, parameters, gpus):
    """The seconds for one bucket."""
    if gpus == 1:
        return 0.0
    sent = 2 * (gpus - 1) / gpus * parameters * training.wire
    pieces = math.ceil(parameters / training.piece)
    return sent / training.bandwidth + 2 * pieces * (training.latency + (gpus - 1) * training.message)


def buckets(training):
    """(parameters, fraction of the backward pass after which they are complete) in the order of sending."""
    most = training.bucket / 4
    inner = training.parameters - training.last
    count = math.ceil(inner / most)
    return [(inner / count, (number + 1) / count) for number in range(count)] + [(training.last, 1.0)]


def update(training, gpus):
    """The seconds for one update."""
    forward = training.compute * training.forward
    backward = training.compute - forward
    before = (training.batches - 1) * training.compute + forward
    end = before + backward
    through = 0.0
    for parameters, fraction in buckets(training):
        ready = before + fraction * backward if training.overlap else end
        through = max(through, ready) + sum_of_bucket(training, parameters, gpus)
    return max(through, end)


def speedup(training, gpus):
    return gpus * training.batches * training.compute / update(training, gpus)


BASE = Training("400 Gbit/s, overlap")
CURVES = [
    replace(BASE, name="--update-freq 8", batches=8),
    replace(BASE, name="gradients in bf16", wire=2),
    BASE,
    replace(BASE, name="--no-overlap", overlap=False),
    replace(BASE, name="10 Gbit/s", bandwidth=1.25e9),
]


def scaling():
    """Both axes are logarithmic, so that the ideal is a straight line."""
    drawing = Drawing(860, 520, "Simulated speed-up of data-parallel training")
    left, bottom, width, height = 80, 450, 560, 400

    def at(gpus, value):
        return left + width * math.log2(gpus) / 10, bottom - height * math.log2(max(value, 1)) / 10

    drawing.line((left, bottom - height), (left, bottom), (left + width, bottom))
    for gpus in GPUS[::2]:
        drawing.text(at(gpus, 1)[0], bottom + 18, f"{gpus}", "note")
        drawing.text(left - 26, at(1, gpus)[1], f"{gpus}", "note")
    drawing.text(left + width / 2, bottom + 44, "GPUs", "note")
    drawing.text(left, bottom - height - 22, "speed-up", "note")
    drawing.line(at(1, 1), at(1024, 1024), kind="dashed")
    ends = [(at(1024, 1024), "ideal: 1024", "")]
    for number, training in enumerate(CURVES):
        points = [at(gpus, speedup(training, gpus)) for gpus in GPUS]
        color = f"curve curve{number}"
        drawing.line(*points, kind=color)
        ends.append((points[-1], f"{training.name}: {speedup(training, 1024):.0f}", color))
    y = bottom - height - 34
    for point, text, color in sorted(ends, key=lambda end: end[0][1]):
        y = max(y + 24, point[1])
        drawing.line(point, (left + width + 14, y), kind=f"dashed {color}")
        drawing.text(left + width + 20, y, text, "note left")
    return drawing


def main():
    print("| GPUs | " + " | ".join(training.name for training in CURVES) + " |")
    print("|---:|" + "---:|" * len(CURVES))
    for gpus in (8, 64, 256, 1024):
        cells = (f"{speedup(training, gpus):.0f} ({100 * speedup(training, gpus) / gpus:.0f} %)" for training in CURVES)
        print(f"| {gpus} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
