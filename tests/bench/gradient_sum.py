"""Measures the sum of gradients over 2 and 4 processes of this machine: time, and bytes per second for each process.

    python3 tests/bench/gradient_sum.py build/bin/bench-gradient-sum [--processes 2 4]
"""

import argparse
import json
import os
import socket
import subprocess

import racing


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def measure(program, processes):
    """The records that rank 0 prints."""
    port = str(free_port())
    ranks = []
    for rank in range(processes):
        environment = os.environ | {"RANK": str(rank), "WORLD_SIZE": str(processes), "MASTER_ADDR": "127.0.0.1",
                                    "MASTER_PORT": port, "LOCAL_RANK": str(rank)}
        ranks.append(subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, text=True))
    texts = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        raise SystemExit("a process failed")
    return [json.loads(line) for line in texts[0].splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help="bench-gradient-sum")
    parser.add_argument("--processes", type=int, nargs="*", default=[2, 4])
    options = parser.parse_args()
    print(racing.machine())
    for processes in options.processes:
        print(f"\n{processes} processes\n\n| numbers | on the wire | ms | GB/s |\n|---:|---|---:|---:|")
        for record in measure(options.program, processes):
            sent = 2 * (processes - 1) / processes * record["elements"] * (4 if record["wire"] == "fp32" else 2)
            print(f"| {record['elements']:,} | {record['wire']} | {1e3 * record['seconds']:.2f} "
                  f"| {sent / record['seconds'] / 1e9:.2f} |")


if __name__ == "__main__":
    main()
