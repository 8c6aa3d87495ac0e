"""Generation: `phraseq generate` against CTranslate2, fairseq and Marian with the same sentences and beams."""

import json
import pathlib
import subprocess

import fairseq_data
import racing

HERE = pathlib.Path(__file__).resolve().parent


def batching_text(tokens):
    return f"{tokens} tokens a batch" if tokens else "one sentence at a time"


class Model:
    """A model and its test set: weights and their shape for the peers, a checkpoint for phraseq."""

    def __init__(self, weights, shape, data, checkpoint, length=None):
        self.weights, self.shape, self.data = weights, shape, data
        self.checkpoint, self.length = checkpoint, length
        self.sentences = fairseq_data.read_sources(data, "test")

    def of(self, batch_tokens):
        """The sentences; only a few if each is slow, as for a large model one sentence at a time."""
        return self.sentences[:32] if self.length and batch_tokens == 0 else self.sentences


class Setting:
    """What all contestants of a race have in common."""

    def __init__(self, options, model, beam, batch_tokens):
        self.options, self.model, self.beam, self.batch_tokens = options, model, beam, batch_tokens

    def sentences(self):
        return self.model.of(self.batch_tokens)[:self.options.sentences]

    def layouts(self):
        """Workers × threads of each: one batch per core, or all cores on one batch."""
        threads = self.options.threads
        return [(threads, 1), (1, threads)] if threads > 1 else [(1, 1)]


class Peer:
    """Another toolkit, run by a script with the arguments of generation_peer.py."""

    def __init__(self, setting, toolkit, python, compute_type, workers, threads):
        self.setting, self.python, self.compute_type, self.workers, self.threads = (
            setting, python, compute_type, workers, threads)
        self.script = HERE / f"{toolkit.lower()}_generation.py"
        self.group = f"{toolkit} {compute_type}"
        self.name = f"{self.group} {workers}×{threads}"

    def tokens_per_second(self):
        setting, model = self.setting, self.setting.model
        length = ["--length", str(model.length)] if model.length else []
        output = subprocess.run(
            [self.python, self.script, model.weights, model.shape, model.data,
             "--workers", str(self.workers), "--threads", str(self.threads),
             "--batch-tokens", str(setting.batch_tokens), "--beam", str(setting.beam),
             "--compute-type", self.compute_type, "--clock", setting.options.clock,
             "--sentences", str(len(setting.sentences())), *length],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        figures = json.loads(output)
        self.megabytes = figures["megabytes"]
        return figures["tokens_per_second"]


class Phraseq:
    """The time of the command for all sentences minus that for one, so that starting and loading cancel out."""

    def __init__(self, setting, arithmetic, workers, threads, program=None, label="phraseq"):
        self.setting, self.arithmetic, self.workers, self.threads = setting, arithmetic, workers, threads
        self.program = program or setting.options.phraseq
        self.group = f"{label} {arithmetic}"
        self.name = f"{self.group} {workers}×{threads}"

    def arithmetic_options(self):
        return ["--quantization", "int8"] if self.arithmetic == "int8" else ["--precision", self.arithmetic]

    def search(self):
        beam, length = self.setting.beam, str(self.setting.model.length)
        search = ["--beam", str(beam)] if beam > 1 else ["--decoder", "greedy"]
        lengths = ["--min-len", length, "--max-len-a", "0", "--max-len-b", length]
        return search + (lengths if self.setting.model.length else [])

    def generate(self, sentences):
        tokens = self.setting.batch_tokens
        batching = ["--max-tokens", str(tokens)] if tokens else ["--batch-size", "1"]
        return racing.timed(
            [self.program, "generate", "--path", self.setting.model.checkpoint, *self.search(), *batching,
             *self.arithmetic_options(), "--workers", str(self.workers), "--threads", str(self.threads)],
            "".join(f"{sentence}\n" for sentence in sentences), self.setting.options.clock)

    def subwords(self, output):
        hypotheses = output.splitlines()
        length = self.setting.model.length
        if length:  # not counted in the text: it may hold <unk>, which no text shows
            return len(hypotheses) * (length + 1)
        return sum(len(hypothesis.split()) + 1 for hypothesis in hypotheses)

    def tokens_per_second(self):
        sentences = self.setting.sentences()
        first, all = self.generate(sentences[:1]), self.generate(sentences)
        self.megabytes = all.megabytes
        return (self.subwords(all.output) - self.subwords(first.output)) / (all.seconds - first.seconds)


def peers_of(setting, workers, threads):
    """The peers whose Python exists; Marian only has workers of one thread."""
    options = setting.options
    toolkits = [("CTranslate2", options.ctranslate2_python, "float32"), ("CTranslate2", options.ctranslate2_python, "int8")]
    toolkits += [("fairseq", options.fairseq_python, "float32")] if workers == 1 else []
    toolkits += [("Marian", options.marian_python, "float32")] if threads == 1 else []
    return [Peer(setting, name, python, kind, workers, threads)
            for name, python, kind in toolkits if pathlib.Path(python or "/nowhere").exists()]


def contestants_of(setting):
    contestants = []
    for workers, threads in setting.layouts():
        contestants += peers_of(setting, workers, threads)
        if setting.options.earlier_phraseq:
            contestants.append(Phraseq(setting, "fp32", workers, threads, setting.options.earlier_phraseq, "earlier"))
        contestants += [Phraseq(setting, kind, workers, threads) for kind in setting.options.arithmetic]
    return contestants


def best_of_groups(contestants, rows):
    """The faster layout of each program and arithmetic."""
    best = {}
    for contestant in contestants:
        row = rows[contestant.name]
        if contestant.group not in best or row["median"] > best[contestant.group]["median"]:
            layout = f"{contestant.workers}×{contestant.threads}"
            best[contestant.group] = row | {"layout": layout, "megabytes": contestant.megabytes}
    return best


def race(options, model, title):
    results = {}
    for beam in options.beams:
        for tokens in (1024, 0):
            contestants = contestants_of(Setting(options, model, beam, tokens))
            rows = best_of_groups(contestants, racing.race(contestants, options.rounds))
            peers = {name: row["median"] for name, row in rows.items() if not name.startswith(("phraseq", "earlier"))}
            heading = f"{title}, {f'beam {beam}' if beam > 1 else 'greedy'}, {batching_text(tokens)}"
            print(f"\n### Generation, {heading}, subwords per second ({options.clock} time)\n")
            print(racing.table(rows, peers), flush=True)
            results[heading] = rows
    return results


def run_trained(options, folder):
    """Races with the model that fairseq trained."""
    data, checkpoint = options.data, f"{folder}/fairseq.safetensors"
    subprocess.run([options.phraseq, "import", "fairseq", f"{data}/model.safetensors",
                    f"{data}/options.json", f"{data}/data-bin", "--output", checkpoint], check=True)
    model = Model(f"{data}/model.safetensors", f"{data}/options.json", f"{data}/data-bin", checkpoint)
    return race(options, model, f"preset tiny, {len(model.sentences[:options.sentences])} sentences")


def run_base(options, folder):
    """Races with preset base after one update, with hypotheses of 30 tokens."""
    data, length = f"{folder}/base-generation", 30
    fairseq_data.make_folder(data, 32000, [length] * 64, [length] * 64)
    subprocess.run([options.phraseq, "train", data, "--arch", "transformer_base", "--share-all-embeddings",
                    "--max-tokens", "1000", "--max-update", "1", "--disable-validation", "--quiet",
                    "--no-save-optimizer-state", "--save-dir", f"{folder}/base-checkpoints"], check=True)
    checkpoint = next(pathlib.Path(folder, "base-checkpoints").glob("*.safetensors"))
    shape = pathlib.Path(folder, "base-shape.json")
    shape.write_text(json.dumps({"encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 8}))
    model = Model(checkpoint, shape, data, checkpoint, length)
    return race(options, model, f"preset base, untrained, {length} tokens a sentence")
