"""What the races share: contestants run in turns, so that a machine's moods hit all of them alike."""

import os
import pathlib
import platform
import resource
import statistics
import subprocess
import time


def machine():
    """The processor, its cores, and the instructions that matter here, as text."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
    flags = next(line for line in text.splitlines() if line.startswith("flags")).split()
    wanted = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags]
    name = fields.get("model name", platform.machine()).lstrip("\t: ")
    return f"{name}, {os.cpu_count()} cores, {' '.join(wanted)}"


def timed(command, text, clock):
    """Runs a command on a text; its seconds by a clock, "wall" or "cpu" (user time), and its output."""
    def now():
        return time.perf_counter() if clock == "wall" else resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = now()
    output = subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    return now() - start, output


def race(contestants, rounds):
    """Tokens a second of each contestant, by name: the median of the rounds, the least and the most."""
    figures = {contestant.name: [] for contestant in contestants}
    for _ in range(rounds):
        for contestant in contestants:
            figures[contestant.name].append(contestant.tokens_per_second())
    return {name: {"median": statistics.median(values), "least": min(values), "most": max(values)}
            for name, values in figures.items()}


def table(rows, peers):
    """The rows as Markdown; `peers` maps a column's title to the figure that a row is divided by."""
    lines = ["| | tokens/s | least to most | " + " | ".join(f"× {title}" for title in peers) + " |",
             "|---|---:|---:|" + "---:|" * len(peers)]
    for name, row in rows.items():
        ratios = " | ".join(f"{row['median'] / figure:.2f}" for figure in peers.values())
        lines.append(f"| {name} | {row['median']:,.0f} | {row['least']:,.0f} to {row['most']:,.0f} | {ratios} |")
    return "\n".join(lines)
