#!/usr/bin/env python3
"""Races `phraseq serve` against CTranslate2 behind a minimal Python server, and against `phraseq generate`.

    serving_race.py DATA [--phraseq FILE] [--ctranslate2-python FILE] [--json FILE]

DATA is a folder with fairseq's model (model.safetensors, options.json, data-bin). In each round every contestant
answers the same requests of one sentence each, from 1, 8 and 64 clients that send the next request when they have the
answer. `generate` gets all sentences at once, which is an upper bound. Then one server answers --memory-requests
requests, and its resident memory is printed.
"""

import argparse
import http.client
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import threading
import time

import fairseq_data
import racing

HERE = pathlib.Path(__file__).resolve().parent


class Served:
    """The server of a contestant: a process with a port."""

    def __init__(self, name, command, port_pattern, stream, make_body, read_body):
        self.name, self.make_body, self.read_body = name, make_body, read_body
        self.path = "/v1/translate"
        self.process = subprocess.Popen(command, text=True, **{stream: subprocess.PIPE})
        pipe = getattr(self.process, stream)
        for line in pipe:
            if found := re.search(port_pattern, line):
                self.port = int(found.group(1))
                break
        else:
            raise RuntimeError(f"{name} ended before it had a port")
        threading.Thread(target=pipe.read, daemon=True).start()

    def client(self, sentences, latencies, answers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        while True:
            try:
                number, sentence = next(sentences)
            except StopIteration:
                return connection.close()
            start = time.perf_counter()
            connection.request("POST", self.path, self.make_body(sentence), {"Content-Type": "application/json"})
            response = connection.getresponse()
            body = response.read()
            latencies.append(time.perf_counter() - start)
            if response.status != 200:
                raise RuntimeError(f"{self.name}: {response.status} {body[:200]}")
            answers[number] = self.read_body(body)

    def run(self, sentences, clients):
        """Requests per second, latencies, and the answers in the order of the sentences."""
        latencies, answers = [], [None] * len(sentences)
        shared = Shared(enumerate(sentences))
        threads = [threading.Thread(target=self.client, args=(shared, latencies, answers)) for _ in range(clients)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(sentences) / (time.perf_counter() - start), sorted(latencies), answers

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status).group(1))

    def stop(self):
        self.process.terminate()
        return self.process.wait()


class Shared:
    """An iterator that several threads share."""

    def __init__(self, items):
        self.items, self.lock = iter(items), threading.Lock()

    def __next__(self):
        with self.lock:
            return next(self.items)


def serve_phraseq(options, checkpoint):
    return Served("phraseq serve",
                  [options.phraseq, "serve", "--path", checkpoint, "--port", "0", "--beam", "5", "--precision", "fp32",
                   "--workers", str(options.workers), "--threads", "1"],
                  r"Listening at http://127.0.0.1:(\d+)", "stderr",
                  lambda text: json.dumps({"text": text}),
                  lambda body: json.loads(body)["translations"][0]["text"])


def serve_ctranslate2(options):
    data = options.data
    return Served("CTranslate2, Python server",
                  [options.ctranslate2_python, HERE / "ctranslate2_server.py", f"{data}/model.safetensors",
                   f"{data}/options.json", f"{data}/data-bin", "--workers", str(options.workers)],
                  r"^(\d+)$", "stdout", str.encode, lambda body: body.decode().rstrip("\n"))


def generate(options, checkpoint, sentences):
    """Sentences per second of the command without its start, and the translations."""
    def seconds(lines):
        start = time.perf_counter()
        output = subprocess.run([options.phraseq, "generate", "--path", checkpoint, "--beam", "5", "--precision", "fp32",
                                 "--workers", str(options.workers), "--threads", "1"],
                                input="".join(f"{line}\n" for line in lines), check=True, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return time.perf_counter() - start, output.splitlines()
    start_up, _ = seconds(sentences[:1])
    all_of_it, lines = seconds(sentences)
    return (len(sentences) - 1) / (all_of_it - start_up), lines


def percentile(latencies, share):
    return 1000 * latencies[min(len(latencies) - 1, int(share * len(latencies)))]


def race(options, checkpoint, sentences):
    servers = [serve_phraseq(options, checkpoint)]
    if options.ctranslate2_python:
        servers.append(serve_ctranslate2(options))
    figures, wrong = {}, 0
    upper, expected = [], None
    for _ in range(options.rounds):
        speed, expected = generate(options, checkpoint, sentences)
        upper.append(speed)
        for clients in (1, 8, 64):
            for server in servers:
                requests = sentences[:options.few] if clients == 1 else sentences
                speed, latencies, answers = server.run(requests, clients)
                figures.setdefault((clients, server.name), []).append(
                    (speed, *(percentile(latencies, share) for share in (0.5, 0.95, 0.99))))
                if server is servers[0]:
                    wrong += sum(a != b for a, b in zip(answers, expected))
    memory = memory_of(servers[0], sentences, options.memory_requests)
    exits = [server.stop() for server in servers]
    rows = {key: [statistics.median(column) for column in zip(*values)] for key, values in figures.items()}
    return {"generate": statistics.median(upper), "rows": rows, "wrong": wrong, "memory": memory, "exit": exits[0]}


def memory_of(server, sentences, requests):
    """Resident kB after each tenth of the requests."""
    kilobytes = []
    for part in range(10):
        few = [sentences[(part + i) % len(sentences)] for i in range(requests // 10)]
        server.run(few, 16)
        kilobytes.append(server.memory())
    return kilobytes


def table(result):
    lines = ["| clients | server | requests/s | of generate | p50, ms | p95, ms | p99, ms |",
             "|---:|---|---:|---:|---:|---:|---:|"]
    for (clients, name), (speed, *latencies) in result["rows"].items():
        lines.append(f"| {clients} | {name} | {speed:,.1f} | {speed / result['generate']:.2f} | " +
                     " | ".join(f"{value:,.1f}" for value in latencies) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--phraseq", default="build/bin/phraseq")
    parser.add_argument("--ctranslate2-python", default="")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--few", type=int, default=100, help="number of requests with a single client")
    parser.add_argument("--memory-requests", type=int, default=5000)
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    sentences = fairseq_data.read_sources(f"{options.data}/data-bin", "test")[:options.sentences]
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = f"{folder}/model.safetensors"
        subprocess.run([options.phraseq, "import", "fairseq", f"{options.data}/model.safetensors",
                        f"{options.data}/options.json", f"{options.data}/data-bin", "--output", checkpoint], check=True)
        result = race(options, checkpoint, sentences)
    print(f"{racing.machine()}\n\n`phraseq generate`: {result['generate']:,.1f} sentences/s\n\n{table(result)}\n")
    print(f"Answers that differ from generate's lines: {result['wrong']}. Resident memory over "
          f"{options.memory_requests} requests: {min(result['memory'])} to {max(result['memory'])} kB. "
          f"Exit code after SIGTERM: {result['exit']}.")
    if options.json:
        named = {f"{clients} clients, {name}": row for (clients, name), row in result["rows"].items()}
        pathlib.Path(options.json).write_text(json.dumps({**result, "rows": named, "machine": racing.machine()}, indent=1))


if __name__ == "__main__":
    main()
