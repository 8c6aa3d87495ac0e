#!/usr/bin/env python3
"""Exports models and compares translations of CTranslate2 and transformers with those of phraseq: check_exports.py BIN

BIN is the folder of phraseq's programs. The models are the tiny one in tests/golden/hf_marian and, when PHRASEQ_DATA
is set, the one in its folder fairseq. Exit code 77 when a package is absent, which ctest shows as skipped.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import ctranslate2
    import sentencepiece
    import torch
    from transformers import MarianMTModel, MarianTokenizer
except ImportError as missing:
    print(f"skipped: {missing}; install ctranslate2, sentencepiece, torch and transformers")
    sys.exit(77)

BIN = pathlib.Path(sys.argv[1])
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "hf_marian"
LONGEST = 60


def phraseq(command, *arguments, **settings):
    return subprocess.run([BIN / f"phraseq-{command}", *map(str, arguments)], check=True, **settings)


def ours(checkpoint, lines, beam):
    done = phraseq("generate", "--path", checkpoint, "--beam", beam, "--max-len-a", 0, "--max-len-b", LONGEST,
                   input="".join(line + "\n" for line in lines), capture_output=True, text=True)
    return done.stdout.splitlines()


def by_ctranslate2(folder, lines, beam):
    source, target = (sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
                      for side in ("source", "target"))
    translator = ctranslate2.Translator(str(folder), compute_type="float32")
    results = translator.translate_batch(source.encode(lines, out_type=str), beam_size=beam, max_batch_size=32,
                                         max_decoding_length=LONGEST)
    return [target.decode(result.hypotheses[0]) for result in results]


def by_transformers(folder, lines, beam):
    model, tokenizer = MarianMTModel.from_pretrained(folder).eval(), MarianTokenizer.from_pretrained(folder)
    translations = []
    for line in lines:
        with torch.no_grad():
            output = model.generate(**tokenizer([line], return_tensors="pt"), num_beams=beam, early_stopping=beam > 1,
                                    max_length=LONGEST + 2)
        translations += tokenizer.batch_decode(output, skip_special_tokens=True)
    return translations


def compare(name, expected, found):
    different = [i for i, (a, b) in enumerate(zip(expected, found)) if a.split() != b.split()]
    print(f"{name}: {len(expected) - len(different)} of {len(expected)} lines are the same")
    for i in different[:5]:
        print(f"  line {i + 1}\n    phraseq {expected[i]}\n    other   {found[i]}")
    return not different and len(expected) == len(found)


def check(name, checkpoint, lines, few, folder):
    fine = True
    for format, translate, subset in (("ctranslate2", by_ctranslate2, lines), ("hf", by_transformers, lines[:few])):
        out = folder / f"{name}-{format}"
        phraseq("export", "--format", format, checkpoint, out)
        for beam in (1, 5):
            fine &= compare(f"{name}, {format}, beam {beam}", ours(checkpoint, subset, beam), translate(out, subset, beam))
    return fine


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    phraseq("import", GOLDEN, folder / "tiny.safetensors")
    lines = (GOLDEN / "source.txt").read_text().splitlines()
    fine = check("tiny", folder / "tiny.safetensors", lines, len(lines), folder)
    if "PHRASEQ_DATA" in os.environ:
        import gzip

        data = pathlib.Path(os.environ["PHRASEQ_DATA"])
        phraseq("import", data / "fairseq" / "model.pt", folder / "fairseq.safetensors",
                "--sentencepiece", data / "fairseq" / "spm10k.model")
        with gzip.open(data / "multi30k" / "test_2016_flickr.en.gz", "rt") as text:
            fine &= check("fairseq", folder / "fairseq.safetensors", text.read().splitlines(), 100, folder)
sys.exit(0 if fine else 1)
