"""Races `phraseq score` against sacrebleu on WMT17 outputs: whole commands, wall time, in turns.

Each row's figure is the median of its rounds. Before the race, both must print the same except for the
version in the signatures.
"""

import argparse
import gzip
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import racing

SYSTEMS = ("newstest2017.LIUM-NMT.4900.en-de", "newstest2017.KIT.4950.en-de")
REFERENCE = "newstest2017.en-de.ref.de"

# Title, number of systems, arguments, the required ratio.
TASKS = (
    ("BLEU + chrF + TER, one system", 1, "-m bleu chrf ter", 20),
    ("BLEU + chrF + TER, two systems, 1,000-sample paired bootstrap", 2, "-m bleu chrf ter --paired-bs", 20),
    ("BLEU, two systems, 1,000-sample paired bootstrap", 2, "-m bleu --paired-bs", None),
    ("BLEU, two systems, 10,000-trial approximate randomization", 2, "-m bleu --paired-ar", None),
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phraseq", required=True, help="the program phraseq-score")
    parser.add_argument("--sacrebleu", required=True, help="the program sacrebleu, 2.6.0")
    parser.add_argument("--data", required=True, help="the folder with the gzipped outputs of newstest2017")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def unpack(data, folder):
    for name in (REFERENCE, *SYSTEMS):
        pathlib.Path(folder, name).write_bytes(gzip.decompress(pathlib.Path(data, f"{name}.gz").read_bytes()))


def run(program, systems, arguments, folder):
    """The seconds, and the output without the version."""
    command = [program, REFERENCE, "-i", *SYSTEMS[:systems], *arguments.split(), "-f", "text", "-w", "4"]
    start = time.perf_counter()
    output = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            env={**os.environ, "NO_COLOR": "1"}, text=True).stdout
    return time.perf_counter() - start, re.sub(r"version:\S+", "version", output)


def race(task, options, folder):
    """The median times of both programs."""
    _, systems, arguments, _ = task
    programs = [os.path.abspath(program) for program in (options.sacrebleu, options.phraseq)]
    if len({run(program, systems, arguments, folder)[1] for program in programs}) != 1:
        raise SystemExit(f"{arguments}: the programs disagree")
    times = {program: [] for program in programs}
    for _ in range(options.rounds):
        for program in programs:
            times[program].append(run(program, systems, arguments, folder)[0])
    return [statistics.median(times[program]) for program in programs]


def main():
    options = parse_arguments()
    print(f"{racing.machine()}; median of {options.rounds} rounds\n")
    print("| task | sacrebleu, s | phraseq, s | ratio |\n|---|---:|---:|---:|")
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        unpack(options.data, folder)
        for task in TASKS:
            theirs, ours = race(task, options, folder)
            print(f"| {task[0]} | {theirs:.2f} | {ours:.3f} | {theirs / ours:.0f} |", flush=True)
            if task[3] and theirs < task[3] * ours:
                missed.append(f"{task[0]}: below {task[3]}")
    if missed:
        raise SystemExit("\n".join(missed))


if __name__ == "__main__":
    main()
