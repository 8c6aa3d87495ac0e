#!/usr/bin/env python3
"""Imports random models of Marian, exports them again, and compares lines with pymarian: check_marian.py BIN

BIN is the folder of phraseq's programs. Compared are the lines and scores that pymarian and phraseq give for the
original model, and those that pymarian gives for the exported one. Exit code 77 when a package is absent, which ctest
shows as skipped.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import pymarian  # noqa: F401
    import sentencepiece
except ImportError as missing:
    print(f"skipped: {missing}; install numpy, pymarian and sentencepiece")
    sys.exit(77)

from marian_models import RandomModel, by_marian, vocabulary_yml, words_of

BIN = pathlib.Path(sys.argv[1])
LINES = 60
LONGEST = 4  # tokens per token of the source
# Marian's decoder normalizes the keys and values of self-attention in training, in scoring and in the first step of
# translating, but not in its later steps (DecoderLayerSelfAttention in src/models/transformer.h). With pre-norm, only
# the first symbol therefore agrees with the training.
FIRST_SYMBOL = "pre-norm, swish, tied output"
VARIANTS = {
    "post-norm, one matrix": dict(tied_embeddings_all=True),
    FIRST_SYMBOL: dict(
        transformer_preprocess="n", transformer_postprocess="da", transformer_postprocess_top="n",
        transformer_ffn_activation="swish", tied_embeddings=True, enc_depth=3),
    "gelu, norm of the embeddings, no bias, layers used twice": dict(
        transformer_ffn_activation="gelu", transformer_postprocess_emb="nd", transformer_decoder_dim_ffn=20, dec_depth=3,
        output_omit_bias=True,
        transformer_tied_layers=[1, 1, 2], transformer_heads=2),
    "SSRU, post-norm": dict(
        transformer_decoder_autoreg="rnn", dec_cell="ssru", tied_embeddings_all=True, transformer_ffn_activation="relu"),
    "SSRU with projection, pre-norm": dict(
        transformer_decoder_autoreg="rnn", dec_cell="ssru", transformer_rnn_projection=True, transformer_preprocess="n",
        transformer_postprocess="da", transformer_postprocess_top="n", transformer_ffn_activation="swish"),
    "SentencePiece, no positions": dict(
        sentencepiece=True, transformer_disable_position_embeddings=True),
}


def phraseq(command, *arguments, **settings):
    return subprocess.run([BIN / f"phraseq-{command}", *map(str, arguments)], check=True, **settings)


def by_phraseq(checkpoint, lines, beam):
    done = phraseq("generate", "--path", checkpoint, "--beam", beam, "--shrink-beam", "--max-len-a", LONGEST, "--max-len-b", 0,
                   "--min-len", 0, "--unnormalized", "--unkpen", 1e9, "--format", "jsonl", "--workers", 1,
                   input="".join(line + "\n" for line in lines), capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def train_sentencepiece(folder, side, words):
    sentences = [" ".join(random.choices(words, k=random.randint(1, 9))) for _ in range(400)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_prefix=str(folder / side), vocab_size=60, bos_id=-1, eos_id=0, unk_id=1,
        hard_vocab_limit=False, minloglevel=2)
    (folder / f"{side}.model").rename(folder / f"vocab.{side}.spm")
    return folder / f"vocab.{side}.spm"


def make(folder, seed, changes):
    """The model's file, its vocabularies, and lines to translate."""
    changes = dict(changes)
    sizes = [40, 40] if changes.get("tied_embeddings_all") else [40, 50]
    source, target = words_of("s", sizes[0]), words_of("t", sizes[1])
    if changes.pop("sentencepiece", False):
        vocabularies = [train_sentencepiece(folder, "source", ["bado", "fegi", "kulo", "mane", "sopi"]),
                        train_sentencepiece(folder, "target", ["ratu", "levo", "numi", "gape", "dira"])]
        sizes = [len(sentencepiece.SentencePieceProcessor(model_file=str(path))) for path in vocabularies]
        source = ["bado", "fegi", "kulo", "mane", "sopi", "bafe", "x"]
    else:
        vocabularies = [folder / "vocab.source.yml", folder / "vocab.target.yml"]
        vocabularies[0].write_text(vocabulary_yml("s", sizes[0]))
        vocabularies[1].write_text(vocabulary_yml("s" if changes.get("tied_embeddings_all") else "t", sizes[1]))
    RandomModel(seed, *sizes, **changes).save(folder / "model.npz")
    lines = [" ".join(random.choices(source, k=random.randint(1, 10))) for _ in range(LINES)]
    return folder / "model.npz", vocabularies, lines


def compare_with_ours(name, theirs, ours):
    """At the greatest length, Marian ends a translation without </s>. Its score is not compared then, nor is the line if
    it was found by beam search, which chose it by that score."""
    same, worst, cut = 0, 0, 0
    for (line, score), found in zip(theirs, ours):
        best = found["hypotheses"][0]
        if name.startswith(FIRST_SYMBOL):
            same += line.split()[:1] == best["symbols"].split()[:1] or not name.endswith("beam 1")
            continue
        is_cut = len(line.split()) == LONGEST * (len(found["source"].split()) + 1)
        same += line == best["symbols"] or (is_cut and "beam 1" not in name)
        cut += is_cut
        if not is_cut and line == best["symbols"]:
            worst = max(worst, abs(score - best["log_probability"]))
        elif line != best["symbols"] and not is_cut:
            print(f"    Marian  {line} ({score})\n    phraseq {best['symbols']} ({best['log_probability']})")
    print(f"{name}: {same} of {len(theirs)} lines are the same ({cut} have the greatest length); "
          f"scores differ by at most {worst:.2g}")
    return same == len(theirs) == len(ours) and worst < 1e-3 and len(theirs) - cut >= 10


def compare(name, expected, found):
    same = sum(one == other for one, other in zip(expected, found))
    print(f"{name}: {same} of {len(expected)} lines and scores are the same")
    return expected == found


def check(name, seed, changes):
    fine = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        model, vocabularies, lines = make(folder, seed, changes)
        phraseq("import", "--from", "marian", model, folder / "m.safetensors", "-s", "xx", "-t", "yy",
                "--vocabs", *vocabularies)
        phraseq("export", "--format", "marian", folder / "m.safetensors", folder / "out")
        exported = sorted((folder / "out").glob("vocab*")) * 2
        for beam in (1, 4):
            theirs = by_marian(model, vocabularies, lines, beam, LONGEST)
            fine &= compare_with_ours(f"{name}, beam {beam}", theirs, by_phraseq(folder / "m.safetensors", lines, beam))
            again = by_marian(folder / "out" / "model.npz", exported[:2], lines, beam, LONGEST)
            fine &= compare(f"{name}, beam {beam}, exported", theirs, again)
    return fine


fine = True
for seed, (name, changes) in enumerate(VARIANTS.items()):
    random.seed(seed)
    fine &= check(name, seed, changes)
sys.exit(0 if fine else 1)
