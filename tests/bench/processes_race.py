"""Training with N processes of one thread against one process of N threads, on the same batches.

    python3 tests/bench/processes_race.py --phraseq build/bin/phraseq --processes 2 [--presets tiny] [--rounds 3]
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import racing
import training_race


class Phraseq:
    """One way to use the cores; every update has the same batches in all ways."""

    def __init__(self, training, options, processes, hook="none"):
        self.training, self.options, self.processes, self.hook = training, options, processes, hook
        threads = options.processes // processes
        self.name = f"{processes} × {threads} thread{'s' if threads > 1 else ''}" + (f", {hook}" if hook != "none" else "")
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
                "--no-plot", "--update-freq", str(total // self.processes), "--ddp-comm-hook", self.hook,
                "--save-dir", save_dir]
            if self.processes > 1:
                command += ["--nproc-per-node", str(self.processes)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            lines = pathlib.Path(save_dir, "metrics.jsonl").read_text().splitlines()
        updates = [record for record in map(json.loads, lines) if record["event"] == "train"]
        timed = updates[training_race.UNTIMED_UPDATES:]
        return sum(update["tokens"] for update in timed) / sum(update["seconds"] for update in timed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phraseq", required=True, help="the program to race")
    parser.add_argument("--data", help="a folder with data-bin/, whose sentence lengths are used")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--presets", nargs="*", default=["tiny"], choices=training_race.PRESETS)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{racing.machine()}; {options.rounds} rounds, {options.precision}")
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.presets:
            training = training_race.Training(preset, training_race.sentence_lengths(options.data), folder, 1)
            contestants = [Phraseq(training, options, 1), Phraseq(training, options, options.processes),
                           Phraseq(training, options, options.processes, "bf16")]
            rows = racing.race(contestants, options.rounds)
            print(f"\n### Preset {preset}, target tokens/s\n")
            print(racing.table(rows, {"one process": rows[contestants[0].name]["median"]}))


if __name__ == "__main__":
    main()
