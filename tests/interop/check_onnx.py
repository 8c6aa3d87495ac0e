#!/usr/bin/env python3
"""Exports models to ONNX and compares translations of ONNX Runtime with those of phraseq: check_onnx.py BIN

BIN is the folder of phraseq's programs. The models are the tiny one in tests/golden/hf_marian, those in
tests/golden/joeynmt, and, when PHRASEQ_DATA is set, the one in its folder fairseq. Search is greedy. Exit code 77 when a
package is absent, which ctest shows as skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
    import sentencepiece
except ImportError as missing:
    print(f"skipped: {missing}; install numpy, onnx, onnxruntime and sentencepiece")
    sys.exit(77)

BIN = pathlib.Path(sys.argv[1])
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
LONGEST = 40


def phraseq(command, *arguments, **settings):
    return subprocess.run([BIN / f"phraseq-{command}", *map(str, arguments)], check=True, **settings)


def by_phraseq(checkpoint, lines):
    done = phraseq("generate", "--path", checkpoint, "--decoder", "greedy", "--max-len-a", 0, "--max-len-b", LONGEST,
                   "--min-len", 0, "--workers", 1, input="".join(line + "\n" for line in lines), capture_output=True, text=True)
    return done.stdout.splitlines()


class Translator:
    """Greedy search over the two graphs."""

    def __init__(self, folder):
        for name in ("encoder", "decoder"):
            onnx.checker.check_model(onnx.load(folder / f"{name}.onnx"), full_check=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.encoder, self.decoder = (onnxruntime.InferenceSession(folder / f"{name}.onnx", options)
                                      for name in ("encoder", "decoder"))
        self.config = json.loads((folder / "config.json").read_text())
        self.source, self.target = (json.loads((folder / f"{side}_vocabulary.json").read_text())
                                    for side in ("source", "target"))
        self.ids = {symbol: number for number, symbol in enumerate(self.source)}
        self.pieces = [sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
                       for side in ("source", "target") if (folder / f"{side}.spm").exists()]

    def translate(self, lines):
        config = self.config
        sources = [self.pieces[0].encode(line, out_type=str) if self.pieces else line.split() for line in lines]
        sources = [[self.ids.get(symbol, config["unk_token_id"]) for symbol in source] + [config["eos_token_id"]]
                   for source in sources]
        width = max(map(len, sources))
        source = numpy.array([row + [config["pad_token_id"]] * (width - len(row)) for row in sources])
        memory = self.encoder.run(None, {"source": source})[0]
        target = numpy.full((len(lines), 1), config["decoder_start_token_id"])
        ended = numpy.zeros(len(lines), dtype=bool)
        for step in range(LONGEST + 1):
            scores = self.decoder.run(None, {"target": target, "source": source, "memory": memory})[0][:, -1]
            chosen = numpy.where(ended | (step == LONGEST), config["eos_token_id"], self.best(scores))
            target = numpy.concatenate([target, chosen[:, None]], axis=1)
            ended |= chosen == config["eos_token_id"]
            if ended.all():
                break
        return [self.text(row) for row in target[:, 1:]]

    def best(self, scores):
        """<pad> and <s> are never produced."""
        scores[:, [self.config["bos_token_id"], self.config["pad_token_id"]]] = -numpy.inf
        return scores.argmax(axis=1)

    def text(self, row):
        symbols = [self.target[number] for number in row[:list(row).index(self.config["eos_token_id"])]]
        return self.pieces[1].decode(symbols) if self.pieces else " ".join(symbols)


def check(name, checkpoint, lines, folder):
    phraseq("export", "--format", "onnx", checkpoint, folder / name)
    translator = Translator(folder / name)
    theirs = [line for start in range(0, len(lines), 16) for line in translator.translate(lines[start:start + 16])]
    ours = by_phraseq(checkpoint, lines)
    same = sum(a == b for a, b in zip(ours, theirs))
    print(f"{name}: {same} of {len(lines)} lines are the same")
    for one, other in zip(ours, theirs):
        if one != other:
            print(f"    phraseq {one}\n    ONNX    {other}")
    return ours == theirs


fine = True
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    models = {"hf_marian": (GOLDEN / "hf_marian", []), "pre-norm": (GOLDEN / "joeynmt" / "pre", []),
              "post-norm": (GOLDEN / "joeynmt" / "post", [])}
    for name, (model, arguments) in models.items():
        phraseq("import", model, folder / f"{name}.safetensors", *arguments)
        fine &= check(name, folder / f"{name}.safetensors", (model / "source.txt").read_text().splitlines(), folder)
    if "PHRASEQ_DATA" in os.environ:
        import gzip

        data = pathlib.Path(os.environ["PHRASEQ_DATA"])
        phraseq("import", data / "fairseq" / "model.pt", folder / "fairseq.safetensors",
                "--sentencepiece", data / "fairseq" / "spm10k.model")
        with gzip.open(data / "multi30k" / "test_2016_flickr.en.gz", "rt") as text:
            fine &= check("fairseq", folder / "fairseq.safetensors", text.read().splitlines()[:100], folder)
sys.exit(0 if fine else 1)
