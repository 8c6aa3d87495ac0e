"""What the races share: contestants run in turns, so that other load on the machine affects all of them alike."""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time
import typing


def machine():
    """The processor, its cores, and the instructions that matter here, as text."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
    flags = next(line for line in text.splitlines() if line.startswith("flags")).split()
    wanted = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags]
    name = fields.get("model name", platform.machine()).lstrip("\t: ")
    return f"{name}, {os.cpu_count()} cores, {' '.join(wanted)}"


class Measured(typing.NamedTuple):
    seconds: float
    output: str
    megabytes: float  # the peak


def timed(command, text, clock):
    """Runs a command on a text; measures it by a clock, "wall" or "cpu" (user time)."""
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as target:
        source.write(text)
        source.seek(0)
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=target, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start if clock == "wall" else used.ru_utime
        if status != 0:
            raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
        target.seek(0)
        return Measured(seconds, target.read(), used.ru_maxrss / 1024)


def training_records(save_dir):
    """The records of updates in metrics.jsonl of `phraseq train`; with --log-interval 1, one for each update."""
    lines = pathlib.Path(save_dir, "metrics.jsonl").read_text().splitlines()
    return [record for record in map(json.loads, lines) if record["event"] == "train"]


def training_speed(records):
    """Target tokens per second."""
    return sum(record["tokens"] for record in records) / sum(record["seconds"] for record in records)


def race(contestants, rounds):
    """Tokens per second of each contestant, by name: the median, the least and the most of its rounds."""
    figures = {contestant.name: [] for contestant in contestants}
    for _ in range(rounds):
        for contestant in contestants:
            figures[contestant.name].append(contestant.tokens_per_second())
    return {name: {"median": statistics.median(values), "least": min(values), "most": max(values)}
            for name, values in figures.items()}


def table(rows, peers):
    """The rows as Markdown; `peers` maps a column's title to the figure that a row is divided by."""
    memory = any("megabytes" in row for row in rows.values())
    titles = [f"× {title}" for title in peers] + (["MB"] if memory else [])
    lines = ["| | tokens/s | least to most | " + " | ".join(titles) + " |",
             "|---|---:|---:|" + "---:|" * len(titles)]
    for name, row in rows.items():
        cells = [f"{row['median'] / figure:.2f}" for figure in peers.values()]
        cells += [f"{row['megabytes']:,.0f}"] if memory else []
        lines.append(f"| {name} | {row['median']:,.0f} | {row['least']:,.0f} to {row['most']:,.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)
