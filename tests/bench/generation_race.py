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


class CTranslate2:
    def __init__(self, options, batch_tokens):
        self.options, self.batch_tokens = options, batch_tokens
        self.name = f"CTranslate2 float32, {batching_text(batch_tokens)}"

    def tokens_per_second(self):
        data = self.options.data
        output = subprocess.run(
            [self.options.ctranslate2_python, HERE / "ctranslate2_generation.py",
             f"{data}/model.safetensors", f"{data}/options.json", f"{data}/data-bin",
             "--threads", str(self.options.threads), "--batch-tokens", str(self.batch_tokens)],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(output)["tokens_per_second"]


class Phraseq:
    """The command on all sentences, less the command on one: starting and loading cancel out."""

    def __init__(self, options, model, sentences, precision, batch_tokens):
        self.options, self.model, self.sentences = options, model, sentences
        self.precision, self.batch_tokens = precision, batch_tokens
        self.name = f"phraseq {precision}, {batching_text(batch_tokens)}"

    def machine_use(self):
        """Batches side by side, each on a core; a sentence at a time has all cores for itself."""
        threads = str(self.options.threads)
        return ["--workers", threads, "--threads", "1"] if self.batch_tokens else ["--workers", "1", "--threads", threads]

    def generate(self, sentences):
        batching = ["--max-tokens", str(self.batch_tokens)] if self.batch_tokens else ["--batch-size", "1"]
        start = time.perf_counter()
        output = subprocess.run(
            [self.options.phraseq, "generate", "--path", self.model, "--beam", "5", *batching,
             "--precision", self.precision, *self.machine_use()],
            input="".join(f"{sentence}\n" for sentence in sentences), check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return time.perf_counter() - start, output.splitlines()

    def tokens_per_second(self):
        overhead, _ = self.generate(self.sentences[:1])
        seconds, hypotheses = self.generate(self.sentences)
        subwords = sum(len(hypothesis.split()) + 1 for hypothesis in hypotheses)
        return subwords / (seconds - overhead)


def test_sentences(data):
    """The test split as subwords, which the imported model takes as they are."""
    symbols = fairseq_data.read_symbols(f"{data}/data-bin/dict.en.txt")
    return [" ".join(symbols[id] for id in sentence[:-1])
            for sentence in fairseq_data.read_sentences(f"{data}/data-bin/test.en-de.en")]


def run(options, folder, pytorch_training):
    """Races all; returns the rows and prints their table. `pytorch_training`: tokens/s here, or None."""
    data, model = options.data, f"{folder}/fairseq.safetensors"
    subprocess.run([options.phraseq, "import", "fairseq", f"{data}/model.safetensors",
                    f"{data}/options.json", f"{data}/data-bin", "--output", model], check=True)
    sentences = test_sentences(data)
    contestants = []
    if pathlib.Path(options.ctranslate2_python or "/nowhere").exists():
        contestants += [CTranslate2(options, tokens) for tokens in (1024, 0)]
    contestants += [Phraseq(options, model, sentences, precision, tokens)
                    for precision in ("fp32", "bf16") for tokens in (1024, 0)]
    rows = racing.race(contestants, options.rounds)
    peers = {}
    if pytorch_training:
        peers["fairseq, scaled"] = FAIRSEQ_TOKENS_PER_SECOND * pytorch_training / FAIRSEQ_PYTORCH_TRAINING
    if contestants[0].name in rows and contestants[0].name.startswith("CTranslate2"):
        peers["CTranslate2, batched"] = rows[contestants[0].name]["median"]
    print(f"\n### Generation, beam 5, {len(sentences)} sentences, subwords/s\n")
    print(racing.table(rows, peers))
    return rows
