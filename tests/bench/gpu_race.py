"""Races phraseq against PyTorch (training: eager and compiled) and CTranslate2 (generation) on a GPU.

All contestants of a race run one after another, in turns, on the same data, model and machine; a row's
figure is the median of its rounds. What cannot run is skipped, with the reason.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import fairseq_data
import racing

PEERS = ("eager", "compiled", "ctranslate2")
HERE = pathlib.Path(__file__).resolve().parent
PEAK = 800e12  # floating-point operations per second that an H200 sustains in matrix products in bf16

# width, feed-forward width, heads, layers on each side, dropout, vocabulary
PRESETS = {
    "tiny": (128, 256, 4, 4, 0.3, 10000),
    "small": (256, 1024, 4, 4, 0.1, 10000),
    "base": (512, 2048, 8, 6, 0.1, 32000),
    "big": (1024, 4096, 16, 6, 0.3, 32000),
}


# Transformers, and the phrase models that are compared with each
VARIANTS = {
    "transformer_nguyen_joty": [
        "phrasal_homogeneous_convkv_44", "phrasal_homogeneous_queryk_44", "phrasal_heterogeneous_convkv_12",
        "phrasal_heterogeneous_queryk_12", "phrasal_interleaved_convkv_12", "phrasal_interleaved_queryk_12"],
    "transformer_xu_base": ["phrase_rep_base_mean", "phrase_rep_base_max", "phrase_rep_base"],
    "transformer_nguyen_nguyen": ["phrase_transformer_3", "phrase_transformer_4", "phrase_transformer_2_3"],
}
TINY_VARIANTS = {"transformer_tiny": ["phrasal_tiny_interleaved_queryk_12", "phrase_transformer_tiny_3"]}


def multiply_adds(preset, source, target):
    """The multiply-adds of a pass's products with weights, as TransformerModel::multiply_adds counts them."""
    width, inner, _, layers, _, vocabulary = PRESETS[preset]
    layer = 4 * width * width + 2 * width * inner
    crossed = 2 * width * width * (source + target)
    return layers * (layer * (source + target) + crossed) + target * vocabulary * width


def share_of_peak(preset, lengths, tokens_per_second, passes):
    """The share of the GPU's peak; `passes` is 3 for training (one forward, two backward) and 1 for generation."""
    source, target = (sum(side) / len(side) for side in lengths)
    return 2 * passes * multiply_adds(preset, source, target) / target * tokens_per_second / PEAK


def output_of(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def versions(options):
    """The machine, its driver, and the versions of the contestants."""
    found = {"processor": racing.machine(), "phraseq": output_of(options.phraseq, "--version").split("\n")[0]}
    gpu = output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    found["gpu"] = gpu or "none"
    for package in ("torch", "ctranslate2"):
        if importlib.util.find_spec(package):
            found[package] = output_of(sys.executable, "-c", f"import {package}; print({package}.__version__)")
    if "torch" in found:
        found["cuda of torch"] = output_of(sys.executable, "-c", "import torch; print(torch.version.cuda)")
    return found


def made_up_lengths(sentences):
    """Lengths of around 25 tokens on each side, as in news."""
    draw = random.Random(1)
    source = [min(100, max(4, round(draw.lognormvariate(3.1, 0.5)))) for _ in range(sentences)]
    return [source, [max(4, length + draw.randint(-3, 3)) for length in source]]


def model_options(preset):
    width, inner, heads, layers, dropout, _ = PRESETS[preset]
    options = ["--arch", "transformer", "--share-all-embeddings", "--dropout", str(dropout)]
    for side in ("encoder", "decoder"):
        options += [f"--{side}-embed-dim", str(width), f"--{side}-ffn-embed-dim", str(inner),
                    f"--{side}-attention-heads", str(heads), f"--{side}-layers", str(layers)]
    return options


class PyTorch:
    def __init__(self, race, compiled):
        self.race, self.compiled = race, compiled
        self.name = "PyTorch torch.compile" if compiled else "PyTorch eager"

    def tokens_per_second(self):
        race, options = self.race, self.race.options
        output = subprocess.run(
            [sys.executable, "-W", "ignore", HERE / "pytorch_training.py", race.folder, "--preset", race.preset,
             "--precision", options.precision, "--vocabulary", str(PRESETS[race.preset][-1]),
             "--max-tokens", str(race.max_tokens), "--updates", str(options.updates), "--warmup", str(options.warmup),
             "--threads", str(os.cpu_count()), "--device", options.device, *(["--compile"] if self.compiled else [])],
            check=True, stdout=subprocess.PIPE, text=True, timeout=options.limit).stdout
        return json.loads(output.splitlines()[-1])["tokens_per_second"]


class Phraseq:
    """The speed of the command in the updates between two records of its metrics.jsonl."""
    name = "phraseq"

    def __init__(self, race):
        self.race = race

    def train(self, save_dir, updates):
        race, options = self.race, self.race.options
        subprocess.run(
            [options.phraseq, "train", race.folder, *model_options(race.preset), "--criterion",
             "label_smoothed_cross_entropy", "--label-smoothing", "0.1", "--optimizer", "adam", "--adam-betas",
             "0.9,0.98", "--lr", "1e-4", "--clip-norm", "1.0", "--max-tokens", str(race.max_tokens), "--max-update",
             str(updates), "--log-interval", str(options.updates), "--precision", options.precision, "--device",
             options.device, "--quiet", "--no-plot", "--disable-validation", "--no-save-optimizer-state",
             "--save-interval", "1000000", "--save-dir", save_dir],
            check=True, stdout=subprocess.DEVNULL)

    def tokens_per_second(self):
        updates = self.race.options.updates
        warmup = -(-self.race.options.warmup // updates) * updates  # records are made every `updates` updates
        with tempfile.TemporaryDirectory() as save_dir:
            self.train(save_dir, warmup + updates)
            return racing.training_speed(racing.training_records(save_dir)[-1:])


class TrainingRace:
    def __init__(self, preset, options, folder):
        self.preset, self.options, self.folder = preset, options, f"{folder}/{preset}"
        self.max_tokens = options.max_tokens
        self.lengths = made_up_lengths(max(2000, 40 * self.max_tokens // 25))
        fairseq_data.make_folder(self.folder, PRESETS[preset][-1], *self.lengths)

    def contestants(self, skip):
        chosen = [Phraseq(self)]
        if not importlib.util.find_spec("torch"):
            skip("PyTorch", f"{sys.executable} has no torch")
            return chosen
        for peer, missing in (("eager", ""), ("compiled", compiling_needs(self.options.device))):
            contestant = PyTorch(self, compiled=peer == "compiled")
            if peer not in self.options.peers:
                skip(contestant.name, "not among --peers")
            elif missing:
                skip(contestant.name, missing)
            else:
                chosen.append(contestant)
        return chosen


def compiling_needs(device):
    """The reason why torch.compile cannot run here; empty if it can."""
    if device == "cuda" and not importlib.util.find_spec("triton"):
        return "triton is not installed"
    return "" if shutil.which("g++") or shutil.which("gcc") else "there is no C++ compiler"


class PhraseqGeneration:
    """The time of the command for all sentences minus that for a few, so that starting and loading cancel out."""
    name = "phraseq"

    def __init__(self, race):
        self.race = race

    def generate(self, sentences):
        race, options = self.race, self.race.options
        batching = ["--max-tokens", str(race.batch_tokens)] if race.batch_tokens else ["--batch-size", "1"]
        length = str(race.length)
        return racing.timed(
            [options.phraseq, "generate", "--path", race.checkpoint, "--beam", "4", "--min-len", length, "--max-len-a",
             "0", "--max-len-b", length, *batching, "--precision", options.precision, "--device", options.device],
            "".join(f"{sentence}\n" for sentence in sentences), "wall").seconds

    def tokens_per_second(self):
        few = self.race.sentences[:1]
        seconds = self.generate(self.race.sentences) - self.generate(few)
        return (len(self.race.sentences) - len(few)) * (self.race.length + 1) / seconds


class CTranslate2:
    """With batches, the better of one and four workers, as phraseq translates four batches at a time on a GPU."""
    name = "CTranslate2"

    def __init__(self, race):
        self.race = race

    def tokens_per_second(self):
        return max(map(self.with_workers, (1, 4) if self.race.batch_tokens else (1,)))

    def with_workers(self, workers):
        race, options = self.race, self.race.options
        kind = {"bf16": "bfloat16", "fp32": "float32"}[options.precision] if options.device == "cuda" else "float32"
        output = subprocess.run(
            [sys.executable, HERE / "ctranslate2_generation.py", race.checkpoint, race.shape, race.folder, "--split",
             "train", "--workers", str(workers), "--threads", str(max(1, os.cpu_count() // workers)), "--batch-tokens",
             str(race.batch_tokens), "--beam", "4", "--device", options.device, "--compute-type", kind, "--length",
             str(race.length), "--sentences", str(len(race.sentences))],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(output)["tokens_per_second"]


class GenerationRace:
    """Generation with a model after one update: beam 4, and every hypothesis has `length` tokens and </s>."""
    length = 25

    def __init__(self, preset, options, folder, batch_tokens):
        self.preset, self.options, self.batch_tokens = preset, options, batch_tokens
        self.folder, self.checkpoint = f"{folder}/{preset}-generation", f"{folder}/{preset}.safetensors"
        width, _, heads, layers, _, vocabulary = PRESETS[preset]
        count = options.sentences if batch_tokens else max(2, options.sentences // 50)
        self.lengths = [[self.length] * options.sentences] * 2
        if not pathlib.Path(self.checkpoint).exists():
            fairseq_data.make_folder(self.folder, vocabulary, *self.lengths)
            Phraseq(self).train(f"{folder}/{preset}-saved", 1)
            next(pathlib.Path(f"{folder}/{preset}-saved").glob("*.safetensors")).rename(self.checkpoint)
        self.sentences = fairseq_data.read_sources(self.folder, "train")[:count]
        self.shape = f"{folder}/{preset}-shape.json"
        pathlib.Path(self.shape).write_text(json.dumps(
            {"encoder_layers": layers, "decoder_layers": layers, "encoder_attention_heads": heads}))

    max_tokens = 1000

    def contestants(self, skip):
        chosen = [PhraseqGeneration(self)]
        if "ctranslate2" not in self.options.peers:
            skip("CTranslate2", "not among --peers")
        elif importlib.util.find_spec("ctranslate2"):
            chosen.append(CTranslate2(self))
        else:
            skip("CTranslate2", f"{sys.executable} has no ctranslate2")
        skip("PyTorch's generation", "torch has no beam search of its own")
        return chosen


def run(race, title, passes, results, skipped):
    """Runs a race, prints its table and adds it to the results."""
    reasons = {}
    contestants = race.contestants(reasons.__setitem__)
    rows = {}
    for contestant in contestants:
        try:
            rows |= racing.race([contestant], 1)
        except subprocess.CalledProcessError as failure:
            reasons[contestant.name] = f"it ended with exit code {failure.returncode}"
        except subprocess.TimeoutExpired:
            reasons[contestant.name] = f"it took longer than {race.options.limit} seconds (--limit)"
    rows = racing.race([c for c in contestants if c.name in rows], race.options.rounds) if race.options.rounds > 1 else rows
    for row in rows.values():
        row["share of peak"] = share_of_peak(race.preset, race.lengths, row["median"], passes)
    peers = {name: row["median"] for name, row in rows.items() if name != "phraseq"}
    print(f"\n### {title}, target tokens/s\n\n{racing.table(rows, peers)}\n")
    for name, row in rows.items():
        print(f"{name}: {row['share of peak']:.2%} of {PEAK / 1e12:.0f} TFLOP/s in products with weights")
    for name, reason in reasons.items():
        print(f"skipped {name}: {reason}")
    results[title], skipped[title] = rows, reasons


def compare_variants(work, options):
    """The rows of bench-variants (tests/bench/variant_race.cpp): phrase models beside their Transformers."""
    rows = []
    for base, variants in (VARIANTS if options.device == "cuda" else TINY_VARIANTS).items():
        command = [options.phraseq.parent / "bench-variants", "--work", work, "--device", options.device, "--precision",
                   options.precision, "--tokens", str(options.max_tokens if work == "train" else options.batch_tokens),
                   "--vocabulary", "32000", "--rounds", str(options.variant_rounds), base, *variants]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows += [json.loads(line) for line in output.splitlines()]
    return rows


def race_variants(options, results, skipped):
    if not (options.phraseq.parent / "bench-variants").exists():
        skipped["Phrase models"] = "bench-variants is not built (-DPHRASEQ_BUILD_BENCHMARKS=ON)"
        print(f"\nskipped the phrase models: {skipped['Phrase models']}")
        return
    for work in ("train", "decode"):
        title = f"Phrase models, {work}"
        results[title] = compare_variants(work, options)
        print(f"\n### {title}\n\n| | target tokens/s | time | multiply-adds | quotient | MiB |\n|---|{'---:|' * 5}")
        for row in results[title]:
            print(f"| {row['model']} | {row['target_tokens_per_second']:,.0f} | {row['time_ratio']:.2f} | "
                  f"{row['multiply_add_ratio']:.2f} | {row['quotient']:.2f} | {row['mebibytes']:,.0f} |")


def found_program(name):
    return pathlib.Path(shutil.which(name) or name).absolute()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--phraseq", required=True, type=found_program, help="the program to race")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--presets", nargs="*", choices=PRESETS, default=["base", "big", "small"],
                        help="presets of the training race")
    parser.add_argument("--generation", nargs="*", choices=PRESETS, help="presets of the generation race; default:\n"
                                                                          "base, or tiny if only that one is trained")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS, help="the peers; torch.compile takes minutes")
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--max-tokens", type=int, help="tokens per training batch; default: 25000, on the CPU 1000")
    parser.add_argument("--updates", type=int, default=50, help="timed updates of each contestant per round")
    parser.add_argument("--warmup", type=int, default=30, help="updates before the timed ones; at most --updates")
    parser.add_argument("--sentences", type=int, help="sentences of the generation race; default: 4000, on the CPU 20")
    parser.add_argument("--batch-tokens", type=int, default=8000, help="source tokens per batch of the generation race")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--variant-rounds", type=int, default=9, help="rounds of the comparison of phrase models; 0: none")
    parser.add_argument("--limit", type=float, default=900, help="seconds that a PyTorch contestant may take per round")
    parser.add_argument("--json", help="write all figures to this file")
    options = parser.parse_args()
    on_cpu = options.device == "cpu"
    options.max_tokens = options.max_tokens or (1000 if on_cpu else 25000)
    options.sentences = options.sentences or (20 if on_cpu else 4000)
    options.warmup = min(options.warmup, options.updates)
    if options.generation is None:
        options.generation = ["tiny"] if options.presets == ["tiny"] else ["base"]
    return options


def save(results, path):
    if path:
        pathlib.Path(path).write_text(json.dumps(results, indent=1) + "\n")


def main():
    options = parse_arguments()
    chosen = {**vars(options), "phraseq": str(options.phraseq)}
    results = {"versions": versions(options), "options": chosen, "races": {}, "skipped": {}}
    if options.device == "cuda" and results["versions"]["gpu"] == "none":
        sys.exit("gpu_race: error: there is no NVIDIA GPU here (nvidia-smi failed); --device cpu tests the script")
    for name, text in results["versions"].items():
        print(f"{name}: {text}")
    print(f"{options.device}, {options.precision}, {options.rounds} rounds of {options.updates} updates")
    with tempfile.TemporaryDirectory() as folder:
        for preset in options.presets:
            run(TrainingRace(preset, options, folder), f"Training, {preset}, {options.max_tokens} tokens a batch", 3,
                results["races"], results["skipped"])
            save(results, options.json)
        for preset in options.generation:
            for tokens in (options.batch_tokens, 0):
                batch = f"{tokens} source tokens a batch" if tokens else "one sentence at a time"
                run(GenerationRace(preset, options, folder, tokens), f"Generation, {preset}, beam 4, {batch}", 1,
                    results["races"], results["skipped"])
                save(results, options.json)
        if options.variant_rounds:
            race_variants(options, results["races"], results["skipped"])
            save(results, options.json)


if __name__ == "__main__":
    main()
