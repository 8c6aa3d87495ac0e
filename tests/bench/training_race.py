"""Races `phraseq train` against PyTorch's Transformer in eager mode, on the same sentences."""

import ctypes.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import fairseq_data
import racing

HERE = pathlib.Path(__file__).resolve().parent
UNTIMED_UPDATES = 3
JEMALLOC = ctypes.util.find_library("jemalloc")
JEMALLOC_OPTIONS = "oversize_threshold:1,thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1"

# vocabulary, tokens per batch, timed updates of a contestant per round
PRESETS = {"tiny": (10000, 4000, 12), "base": (32000, 1700, 4)}


def sentence_lengths(data):
    """The lengths of both sides: of real data, or else generated, around 15 tokens as in captions."""
    if data:
        return [fairseq_data.read_lengths(f"{data}/data-bin/train.en-de.{side}.idx") for side in ("en", "de")]
    draw = random.Random(1)
    lengths = [max(4, round(draw.gauss(15, 4))) for _ in range(20000)]
    return [lengths, [max(4, length + draw.randint(-3, 3)) for length in lengths]]


class Training:
    """A training of a preset on a folder of random ids with real lengths."""

    def __init__(self, preset, lengths, folder, threads):
        self.preset, self.folder, self.threads = preset, f"{folder}/{preset}", threads
        self.vocabulary, self.max_tokens, self.updates = PRESETS[preset]
        fairseq_data.make_folder(self.folder, self.vocabulary, *lengths)


class PyTorch:
    """Fused Adam, label smoothing and clipping; with `jemalloc`, it is preloaded and keeps large tensors."""

    def __init__(self, training, precision, jemalloc):
        self.training, self.precision, self.jemalloc = training, precision, jemalloc
        self.name = f"PyTorch {precision}" + (" jemalloc" if jemalloc else "")

    def tokens_per_second(self):
        training = self.training
        environment = dict(os.environ)
        if self.jemalloc:
            environment |= {"LD_PRELOAD": JEMALLOC, "MALLOC_CONF": JEMALLOC_OPTIONS}
        output = subprocess.run(
            [sys.executable, "-W", "ignore", HERE / "pytorch_training.py", training.folder,
             "--preset", training.preset, "--precision", self.precision,
             "--vocabulary", str(training.vocabulary), "--max-tokens", str(training.max_tokens),
             "--updates", str(training.updates), "--threads", str(training.threads)],
            check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
        return json.loads(output)["tokens_per_second"]


class Phraseq:
    """The command; its speed is read from metrics.jsonl."""

    def __init__(self, training, precision, program):
        self.training, self.precision, self.program = training, precision, program
        self.name = f"phraseq {precision}"

    def tokens_per_second(self):
        training = self.training
        with tempfile.TemporaryDirectory() as save_dir:
            subprocess.run(
                [self.program, "train", training.folder, "--arch", f"transformer_{training.preset}",
                 "--share-all-embeddings", "--attention-dropout", "0", "--activation-dropout", "0",
                 "--criterion", "label_smoothed_cross_entropy", "--label-smoothing", "0.1",
                 "--optimizer", "adam", "--adam-betas", "0.9,0.98", "--lr", "1e-4",
                 "--clip-norm", "1.0", "--max-tokens", str(training.max_tokens),
                 "--max-update", str(UNTIMED_UPDATES + training.updates), "--log-interval", "1",
                 "--precision", self.precision, "--threads", str(training.threads), "--quiet",
                 "--disable-validation", "--save-dir", save_dir],
                check=True, stdout=subprocess.DEVNULL)
            return racing.training_speed(racing.training_records(save_dir)[UNTIMED_UPDATES:])


def run(preset, options, folder):
    """Races all contestants; prints their table and returns its rows."""
    training = Training(preset, sentence_lengths(options.data), folder, options.threads)
    allocators = [False, True] if JEMALLOC else [False]
    contestants = [PyTorch(training, precision, jemalloc)
                   for precision in options.training_precision for jemalloc in allocators]
    contestants += [Phraseq(training, precision, options.phraseq) for precision in options.training_precision]
    rows = racing.race(contestants, options.rounds)
    peers = [row["median"] for name, row in rows.items() if name.startswith("PyTorch")]
    print(f"\n### Training, preset {preset}, target tokens/s\n")
    print(racing.table(rows, {contestants[0].name: rows[contestants[0].name]["median"], "PyTorch's best": max(peers)}))
    return rows
