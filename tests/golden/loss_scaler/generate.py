"""Golden states of --fp16's loss scale, computed by fairseq 0.12.2's own DynamicLossScaler.

The file fairseq/optim/dynamic_loss_scaler.py is executed as it is. Each case is a sequence of updates, some of which
overflow (chosen by a formula, so that it is reproducible). The state of the scaler is recorded after each one.
Run:  python3 generate.py FOLDER > golden.json   (FOLDER: the unpacked source of fairseq 0.12.2)

golden.json: a list of cases with
  options    of the scaler under phraseq's names; window: in updates
  overflows  "0" or "1" for each update
  states     after each update: [scale, iteration, last overflow, last rescale, overflows since the last rescale]
  minimum    the number of the update that reached the smallest scale (an error), or -1
"""
import json
import sys
from pathlib import Path

CASES = [
    # window, tolerance, threshold, min_loss_scale, init scale, updates, overflow in how many of 100
    (7, 0.0, None, 1e-4, 128, 60, 12),
    (1, 0.0, None, 1e-4, 4, 30, 40),
    (5, 0.25, None, 1e-4, 128, 80, 20),
    (5, 0.6, None, 1e-4, 1024, 80, 45),
    (16384, 0.0, None, 1e-4, 128, 40, 10),
    (9, 0.0, 32.0, 1e-4, 128, 60, 50),
    (4, 0.0, None, 2.0, 128, 40, 90),
    (6, 0.3, 0.5, 0.25, 100, 90, 60),
    (3, -1.0, None, 1e-4, 128, 50, 30),
]


def load(folder):
    names = {}
    path = Path(folder) / "fairseq/optim/dynamic_loss_scaler.py"
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["DynamicLossScaler"]


def overflows(number, count, share):
    """A fixed sequence: a linear congruential generator (Numerical Recipes' constants)."""
    state, drawn = 1000 + number, []
    for _ in range(count):
        state = (1664525 * state + 1013904223) % 2**32
        drawn.append((state >> 16) % 100 < share)
    return drawn


def record(scaler, drawn):
    states, minimum = [], -1
    for update, overflow in enumerate(drawn):
        try:
            scaler.check_overflow(float("inf") if overflow and update % 2 else float("nan") if overflow else 1.5)
            scaler.update()
        except OverflowError:
            pass
        except FloatingPointError:
            minimum = update
            break
        states.append([scaler.loss_scale, scaler._iter, scaler._last_overflow_iter, scaler._last_rescale_iter,
                       scaler._overflows_since_rescale])
    return states, minimum


def main():
    scaler_class, cases = load(sys.argv[1]), []
    for number, (window, tolerance, threshold, smallest, first, count, share) in enumerate(CASES):
        drawn = overflows(number, count, share)
        states, minimum = record(scaler_class(init_scale=first, scale_window=window, tolerance=tolerance,
                                              threshold=threshold, min_loss_scale=smallest), drawn)
        cases.append({"options": {"fp16_init_scale": first, "fp16_scale_tolerance": tolerance,
                                  "threshold_loss_scale": threshold or 0.0, "min_loss_scale": smallest},
                      "window": window, "overflows": "".join("01"[overflow] for overflow in drawn),
                      "states": states, "minimum": minimum})
    print(json.dumps(cases))


main()
