#!/usr/bin/env python3
"""Checks that a training with many faults ends with the bytes of one without faults, and that memory stays constant.

    tests/soak.py [--minutes 120] [--seed N] [--lines 10000000] [--bin build/bin] [--folder DIR]

1. For --minutes: a toy training is started, disturbed by a random fault, and started again until it has made all its
   updates. Then its last checkpoint (parameters, optimizer, data position) and its logged losses must equal those of a
   run without faults. Faults: SIGKILL, SIGTERM and SIGHUP at a random time; a limit on the size of files, like a full
   disk; a limit on memory; with strace installed, ENOSPC, EIO or SIGKILL at a random system call of a save.
2. One `generate` translates --lines lines; its resident memory must not grow after the first tenth.

Prints one line per fault, and a summary. Exit code 1 when something differs; the folder is kept then.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ENGLISH = "zero one two three four five six seven eight nine".split()
GERMAN = "null eins zwei drei vier fünf sechs sieben acht neun".split()
UPDATES = 400
SHORT_MEMORY = "a batch because of insufficient memory"  # divided or skipped: only this may change results
LARGEST_COUNT = 65535  # of strace's "when"
SYSTEM_CALLS = "openat write fsync rename unlink close".split()


def write_corpus(folder, rng):
    for name, pairs in (("train", 300), ("dev", 20)):
        rows = [[rng.randrange(10) for _ in range(rng.randint(1, 8))] for _ in range(pairs)]
        for language, words in (("en", ENGLISH), ("de", GERMAN)):
            text = "".join(" ".join(words[digit] for digit in row) + "\n" for row in rows)
            (folder / f"{name}.{language}").write_text(text, encoding="utf-8")


def train_command(binary, save_dir):
    return [str(binary / "phraseq"), "train", "data-bin", "--arch", "transformer", "--dropout", "0.1",
            *(f"--{side}-{what}={value}" for side in ("encoder", "decoder")
              for what, value in (("layers", 1), ("embed-dim", 32), ("ffn-embed-dim", 48), ("attention-heads", 2))),
            "--lr", "0.01", "--lr-scheduler", "inverse_sqrt", "--warmup-updates", "20", "--max-tokens", "400",
            "--max-update", str(UPDATES), "--save-interval-updates", "10", "--keep-interval-updates", "2",
            "--log-interval", "1", "--threads", "1", "--save-dir", save_dir]


class Fault:
    """A way to disturb a training: a prefix of the command, limits, and a signal after some time."""

    def __init__(self, name, prefix=(), limits=(), after=None, number=None):
        self.name, self.prefix, self.limits = name, list(prefix), limits
        self.after, self.number = after, number

    def run(self, command, folder, log):
        def limit():
            for kind, value in self.limits:
                resource.setrlimit(kind, (value, value))
        process = subprocess.Popen(self.prefix + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   preexec_fn=limit, start_new_session=True)
        if self.after is not None:
            threading.Timer(self.after, lambda: process.poll() is None and process.send_signal(self.number)).start()
        return process.wait()


def random_fault(rng, seconds):
    """`seconds` is the duration of a whole training; a fault occurs at some time within it."""
    kind = rng.choice(["kill", "terminate", "hang up", "full disk", "memory"] + 4 * ["system call"] * bool(shutil.which("strace")))
    when = rng.uniform(0, seconds)
    if kind in ("kill", "terminate", "hang up"):
        number = {"kill": signal.SIGKILL, "terminate": signal.SIGTERM, "hang up": signal.SIGHUP}[kind]
        return Fault(f"{kind} after {when:.2f} s", after=when, number=number)
    if kind == "full disk":
        limit = rng.randrange(0, 400_000)
        return Fault(f"full disk, no file over {limit} bytes", limits=[(resource.RLIMIT_FSIZE, limit)])
    if kind == "memory":
        limit = rng.randrange(100, 700) << 20
        return Fault(f"memory of {limit >> 20} MiB", limits=[(resource.RLIMIT_AS, limit)])
    call, count = rng.choice(SYSTEM_CALLS), min(int(rng.paretovariate(0.5)) + rng.randrange(5), LARGEST_COUNT)
    what = rng.choice(["error=ENOSPC", "error=EIO", "signal=KILL"])
    return Fault(f"{what} at {call} number {count}",
                 prefix=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                         "-e", f"inject={call}:{what}:when={count}"])


def checkpoint(folder, save_dir):
    """Digest of the tensors of the last checkpoint, by name."""
    name = (folder / save_dir / "checkpoint_last").read_text().split()[0]
    content = (folder / save_dir / name).read_bytes()
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + size])
    data = content[8 + size:]
    return {name: (entry["dtype"], str(entry["shape"]), hashlib.sha256(data[slice(*entry["data_offsets"])]).hexdigest())
            for name, entry in header.items() if name != "__metadata__"}


def losses(folder, save_dir):
    """The loss of each update; if an update was repeated after a fault, its last value counts."""
    found = {}
    for line in (folder / save_dir / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)  # a broken line is an error
        if entry.get("event") == "train":
            found[entry["updates"]] = entry["loss"]
    return found


def updates_of(folder, save_dir):
    try:
        return max(losses(folder, save_dir), default=0)
    except FileNotFoundError:
        return 0


def resident_memory(process):
    """In kB."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(next(row for row in status.splitlines() if row.startswith("VmRSS")).split()[1])


class Soak:
    def __init__(self, options, folder):
        self.rng, self.folder, self.binary = random.Random(options.seed), folder, options.bin.resolve()
        self.counts, self.problems = collections.Counter(), []
        self.log = open(folder / "soak.log", "ab")

    def prepare(self):
        write_corpus(self.folder, self.rng)
        subprocess.run([self.binary / "phraseq", "preprocess", "--source-lang", "en", "--target-lang", "de", "--trainpref",
                        "train", "--validpref", "dev", "--destdir", "data-bin"], cwd=self.folder, check=True,
                       stdout=self.log, stderr=self.log)
        start = time.monotonic()
        subprocess.run(train_command(self.binary, "whole"), cwd=self.folder, check=True, stdout=self.log, stderr=self.log)
        self.seconds = time.monotonic() - start
        self.expected = checkpoint(self.folder, "whole"), losses(self.folder, "whole")

    def start_once(self, save_dir, fault):
        """Starts the training once. Undoes the updates if a batch was divided or skipped."""
        target, copy = self.folder / save_dir, self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        if target.exists():
            shutil.copytree(target, copy, symlinks=True)
        begin = self.log.seek(0, 2)
        code = fault.run(train_command(self.binary, save_dir), self.folder, self.log)
        said = (self.folder / "soak.log").read_bytes()[begin:].decode(errors="replace")
        if SHORT_MEMORY in said:
            self.counts["divided or skipped batches"] += 1
            shutil.rmtree(target, ignore_errors=True)
            if copy.exists():
                copy.rename(target)
        crashes = [1, -signal.SIGSEGV, -signal.SIGBUS]
        if not fault.name.startswith("memory"):  # LibTorch aborts when it cannot even be loaded
            crashes.append(-signal.SIGABRT)
        if code in crashes or "a bug of phraseq" in said:
            self.problems.append(f"{fault.name}: exit code {code}: {said[-400:]}")
        print(f"soak: {fault.name}: exit code {code}, {updates_of(self.folder, save_dir)} updates", flush=True)
        return code

    def round(self, number):
        save_dir = f"disturbed-{number}"
        while updates_of(self.folder, save_dir) < UPDATES and not self.problems:
            fault = random_fault(self.rng, self.seconds)
            self.counts[fault.name.split()[0]] += 1
            self.start_once(save_dir, fault)
        if self.start_once(save_dir, Fault("nothing")) != 0:
            self.problems.append(f"{save_dir}: the training does not continue")
            return
        got = checkpoint(self.folder, save_dir), losses(self.folder, save_dir)
        for what, ours, whole in zip(("tensors", "losses"), got, self.expected):
            if ours != whole:
                wrong = [key for key in {**ours, **whole} if ours.get(key) != whole.get(key)]
                self.problems.append(f"{save_dir}: {len(wrong)} {what} differ, for instance {wrong[0]}")
        self.counts["rounds"] += 1
        if not self.problems:
            shutil.rmtree(self.folder / save_dir)

    def generate(self, lines):
        """Translates `lines` lines in one process. Its resident memory, measured a hundred times, must not grow after the
        first tenth."""
        process = subprocess.Popen([self.binary / "phraseq-generate", "--path", "whole/checkpoint_last", "--decoder",
                                    "greedy", "--max-len-b", "3", "--no-progress-bar"], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=self.log)
        received, memory, start = 0, [], time.monotonic()

        def write():
            block = "".join(" ".join(ENGLISH[(i * j) % 10] for j in range(1, 2 + i % 7)) + "\n" for i in range(1000))
            for _ in range(lines // 1000):
                process.stdin.write(block.encode())
            process.stdin.close()
        threading.Thread(target=write, daemon=True).start()
        for _ in process.stdout:
            received += 1
            if received % max(1, lines // 100) == 0:
                memory.append(resident_memory(process.pid))
                print(f"soak: generate: {received} lines after {time.monotonic() - start:.0f} s, resident {memory[-1]} kB",
                      flush=True)
        code = process.wait()
        if received != lines // 1000 * 1000 or code != 0:
            self.problems.append(f"generate: {received} lines of {lines}, exit code {code}")
        settled = memory[len(memory) // 10:]
        if settled and max(settled) > 1.05 * settled[0] + 4096:
            self.problems.append(f"generate: resident memory grows: {memory}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="phraseq-soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    soak = Soak(options, folder.resolve())
    soak.prepare()
    end, number = time.monotonic() + 60 * options.minutes, 0
    while time.monotonic() < end and not soak.problems:
        soak.round(number)
        number += 1
    if options.lines:
        soak.generate(options.lines)
    print("soak: " + ", ".join(f"{count} {name}" for name, count in sorted(soak.counts.items())))
    for problem in soak.problems:
        print(f"soak: PROBLEM: {problem}")
    if soak.problems:
        print(f"soak: everything is in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
