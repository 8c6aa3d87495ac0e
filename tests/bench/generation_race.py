"""Generation: `phraseq generate`, beam 5, against CTranslate2 with the same weights and sentences."""

import json
import pathlib
import subprocess
import time

import fairseq_data
import racing

HERE = pathlib.Path(__file__).resolve().parent

# fairseq 0.12.2 on a machine where PyTorch's eager fp32 step (preset tiny) made 3,517 target tokens/s:
# a peer that cannot be installed here, scaled by this machine's PyTorch.
FAIRSEQ_TOKENS_PER_SECOND = 1656
FAIRSEQ_PYTORCH_TRAINING = 3517


def batching_text(tokens):
    return f"{tokens} tokens a batch" if tokens else "one sentence at a time"


class Model:
    """What is translated with and what: weights and their shape for the peer, a checkpoint for us."""

    def __init__(self, weights, shape, data, checkpoint, length=None):
        self.weights, self.shape, self.data = weights, shape, data
        self.checkpoint, self.length = checkpoint, length
        symbols = fairseq_data.read_symbols(f"{data}/dict.en.txt")
        self.sentences = [" ".join(symbols[id] for id in sentence[:-1])
                          for sentence in fairseq_data.read_sentences(f"{data}/test.en-de.en")]

    def of(self, batch_tokens):
        """The sentences; few where each is slow: one by one, through a large model."""
        return self.sentences[:8] if self.length and batch_tokens == 0 else self.sentences


class CTranslate2:
    def __init__(self, options, model, batch_tokens):
        self.options, self.model, self.batch_tokens = options, model, batch_tokens
        self.name = f"CTranslate2 float32, {batching_text(batch_tokens)}"

    def tokens_per_second(self):
        model = self.model
        length = ["--length", str(model.length)] if model.length else []
        output = subprocess.run(
            [self.options.ctranslate2_python, HERE / "ctranslate2_generation.py",
             model.weights, model.shape, model.data, "--threads", str(self.options.threads),
             "--batch-tokens", str(self.batch_tokens),
             "--sentences", str(len(model.of(self.batch_tokens))), *length],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(output)["tokens_per_second"]


class Phraseq:
    """The command on all sentences, less the command on one: starting and loading cancel out."""

    def __init__(self, options, model, precision, batch_tokens):
        self.options, self.model = options, model
        self.precision, self.batch_tokens = precision, batch_tokens
        self.name = f"phraseq {precision}, {batching_text(batch_tokens)}"

    def machine_use(self):
        """Batches side by side, each on a core; one sentence at a time can use all cores."""
        threads = str(self.options.threads)
        return ["--workers", threads, "--threads", "1"] if self.batch_tokens else ["--workers", "1", "--threads", threads]

    def lengths(self):
        length = str(self.model.length)
        return ["--min-len", length, "--max-len-a", "0", "--max-len-b", length] if self.model.length else []

    def generate(self, sentences):
        batching = ["--max-tokens", str(self.batch_tokens)] if self.batch_tokens else ["--batch-size", "1"]
        start = time.perf_counter()
        output = subprocess.run(
            [self.options.phraseq, "generate", "--path", self.model.checkpoint, "--beam", "5", *batching,
             *self.lengths(), "--precision", self.precision, *self.machine_use()],
            input="".join(f"{sentence}\n" for sentence in sentences), check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return time.perf_counter() - start, output.splitlines()

    def subwords(self, hypotheses):
        if self.model.length:  # not counted in the text: it may hold <unk>, which no text shows
            return len(hypotheses) * (self.model.length + 1)
        return sum(len(hypothesis.split()) + 1 for hypothesis in hypotheses)

    def tokens_per_second(self):
        sentences = self.model.of(self.batch_tokens)
        overhead, first = self.generate(sentences[:1])
        seconds, hypotheses = self.generate(sentences)
        return (self.subwords(hypotheses) - self.subwords(first)) / (seconds - overhead)


def race(options, model, title, more_peers):
    contestants = []
    if pathlib.Path(options.ctranslate2_python or "/nowhere").exists():
        contestants += [CTranslate2(options, model, tokens) for tokens in (1024, 0)]
    contestants += [Phraseq(options, model, precision, tokens)
                    for precision in ("fp32", "bf16") for tokens in (1024, 0)]
    rows = racing.race(contestants, options.rounds)
    peers = dict(more_peers)
    if contestants[0].name.startswith("CTranslate2"):
        peers["CTranslate2, batched"] = rows[contestants[0].name]["median"]
    print(f"\n### Generation, {title}, beam 5, subwords/s\n")
    print(racing.table(rows, peers))
    return rows


def run_trained(options, folder, pytorch_training):
    """With the model that fairseq trained. `pytorch_training`: PyTorch's tokens/s here, or None."""
    data, checkpoint = options.data, f"{folder}/fairseq.safetensors"
    subprocess.run([options.phraseq, "import", "fairseq", f"{data}/model.safetensors",
                    f"{data}/options.json", f"{data}/data-bin", "--output", checkpoint], check=True)
    model = Model(f"{data}/model.safetensors", f"{data}/options.json", f"{data}/data-bin", checkpoint)
    peers = {}
    if pytorch_training:
        peers["fairseq, scaled"] = FAIRSEQ_TOKENS_PER_SECOND * pytorch_training / FAIRSEQ_PYTORCH_TRAINING
    return race(options, model, f"preset tiny, {len(model.sentences)} sentences", peers)


def run_base(options, folder):
    """With preset base as it is after one update: every hypothesis has 30 tokens."""
    data, length = f"{folder}/base-generation", 30
    fairseq_data.make_folder(data, 32000, [length] * 64, [length] * 64)
    subprocess.run([options.phraseq, "train", data, "--arch", "transformer_base", "--share-all-embeddings",
                    "--max-tokens", "1000", "--max-update", "1", "--disable-validation", "--quiet",
                    "--no-save-optimizer-state", "--save-dir", f"{folder}/base-checkpoints"], check=True)
    checkpoint = next(pathlib.Path(folder, "base-checkpoints").glob("*.safetensors"))
    shape = pathlib.Path(folder, "base-shape.json")
    shape.write_text(json.dumps({"encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 8}))
    model = Model(checkpoint, shape, data, checkpoint, length)
    return race(options, model, f"preset base, untrained, {length} tokens a sentence", {})
