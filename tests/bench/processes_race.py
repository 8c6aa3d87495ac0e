"""Races training with N processes of one thread against one process of N threads, on the same batches, with and without
the overlap of communication and backward pass, and against fairseq with N processes (gloo), if it is installed.

    python3 tests/bench/processes_race.py --phraseq build/bin/phraseq --processes 2 [--presets tiny] [--rounds 3]
        [--fairseq VENV/bin]

fairseq 0.12.2 needs omegaconf 2.0, hydra-core 1.0 and numpy 1.23; VENV/bin holds fairseq-train and torchrun.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile

import racing
import training_race


class Phraseq:
    """One way to use the cores; every update has the same batches in each way."""

    def __init__(self, training, options, processes, *more):
        self.training, self.options, self.processes, self.more = training, options, processes, more
        threads = options.processes // processes
        self.name = " ".join([f"{processes} × {threads} thread{'s' if threads > 1 else ''}", *more])
        self.threads = threads

    def tokens_per_second(self):
        training, total = self.training, self.options.processes
        with tempfile.TemporaryDirectory() as save_dir:
            command = [
                self.options.phraseq, "train", training.folder, "--arch", f"transformer_{training.preset}",
                "--share-all-embeddings", "--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1",
                "--lr", "1e-4", "--clip-norm", "1.0", "--max-tokens", str(training.max_tokens),
                "--max-update", str(training_race.UNTIMED_UPDATES + training.updates), "--log-interval", "1",
                "--precision", self.options.precision, "--threads", str(self.threads), "--quiet", "--disable-validation",
                "--no-plot", "--update-freq", str(total // self.processes), "--save-dir", save_dir, *self.more]
            if self.processes > 1:
                command += ["--nproc-per-node", str(self.processes)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            return racing.training_speed(racing.training_records(save_dir)[training_race.UNTIMED_UPDATES:])


class Fairseq:
    """fairseq's own launcher needs GPUs: torchrun starts the processes, and legacy_ddp adds the gradients."""

    def __init__(self, training, options):
        self.training, self.options = training, options
        self.name = f"fairseq, {options.processes} × 1 thread"

    def tokens_per_second(self):
        training, processes = self.training, self.options.processes
        sizes = {"base": (512, 2048, 8, 6), "tiny": (128, 256, 4, 4)}[training.preset]
        sides = [word for side in ("encoder", "decoder") for word in (
            f"--{side}-embed-dim", str(sizes[0]), f"--{side}-ffn-embed-dim", str(sizes[1]),
            f"--{side}-attention-heads", str(sizes[2]), f"--{side}-layers", str(sizes[3]))]
        if training.preset == "tiny":
            sides += ["--encoder-normalize-before", "--decoder-normalize-before"]
        with tempfile.TemporaryDirectory() as save_dir:
            command = [
                f"{self.options.fairseq}/torchrun", "--nproc-per-node", str(processes), "--standalone", "--no-python",
                f"{self.options.fairseq}/fairseq-train", training.folder, "--cpu", "--arch", "transformer", *sides,
                "--share-all-embeddings", "--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1",
                "--optimizer", "adam", "--lr", "1e-4", "--clip-norm", "1.0", "--dropout", "0.1",
                "--max-tokens", str(training.max_tokens), "--distributed-backend", "gloo", "--ddp-backend", "legacy_ddp",
                "--distributed-world-size", str(processes), "--num-workers", "0", "--no-save", "--disable-validation",
                "--max-update", str(training_race.UNTIMED_UPDATES + training.updates), "--log-interval", "1",
                "--log-format", "json", "--save-dir", save_dir]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                    env=os.environ | {"OMP_NUM_THREADS": "1"}).stdout
        updates = [json.loads(text) for text in re.findall(r'\| INFO \| train_inner \| (\{.*\})', output)]
        timed = updates[training_race.UNTIMED_UPDATES:]
        # wpb: target tokens of an update on all processes; ups: updates a second.
        return sum(float(u["wpb"]) for u in timed) / sum(1 / float(u["ups"]) for u in timed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phraseq", required=True, help="the program to race")
    parser.add_argument("--data", help="a folder with data-bin/, whose sentence lengths are used")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--presets", nargs="*", default=["tiny"], choices=training_race.PRESETS)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fairseq", help="the folder with fairseq-train and torchrun")
    options = parser.parse_args()
    print(f"{racing.machine()}; {options.rounds} rounds, {options.precision}")
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.presets:
            training = training_race.Training(preset, training_race.sentence_lengths(options.data), folder, 1)
            ways = [(), ("--no-overlap",), ("--ddp-comm-hook", "bf16"), ("--zero", "1")]
            contestants = [Phraseq(training, options, 1)]
            contestants += [Phraseq(training, options, options.processes, *way) for way in ways]
            if options.fairseq:
                contestants.append(Fairseq(training, options))
            rows = racing.race(contestants, options.rounds)
            print(f"\n### Preset {preset}, target tokens/s\n")
            print(racing.table(rows, {"one process": rows[contestants[0].name]["median"]}))


if __name__ == "__main__":
    main()
