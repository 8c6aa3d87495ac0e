#!/usr/bin/env python3
"""Imports random models of fairseq and compares its translations with those of phraseq: check_fairseq.py BIN

BIN is the folder of phraseq's programs. Exit code 77 when fairseq 0.12.2 is absent, which ctest shows as skipped. Its
compiled extensions are not needed.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import fairseq_dataclasses  # noqa: E402, F401

try:
    import torch
    from fairseq.data.dictionary import Dictionary
    from fairseq.models.transformer import TransformerModel, base_architecture
    from fairseq.sequence_generator import SequenceGenerator
except ImportError as missing:
    print(f"skipped: {missing}; install fairseq 0.12.2 and torch")
    sys.exit(77)

BIN = pathlib.Path(sys.argv[1])
LONGEST = 15
SIZES = dict(encoder_embed_dim=16, encoder_ffn_embed_dim=24, encoder_layers=2, encoder_attention_heads=4,
             decoder_embed_dim=16, decoder_ffn_embed_dim=28, decoder_layers=2, decoder_attention_heads=2)
# swish is missing, as fairseq 0.12.2 fails with a TypeError.
VARIANTS = {
    "learned positions, pre-norm, gelu": dict(
        encoder_normalize_before=True, decoder_normalize_before=True, encoder_learned_pos=True,
        decoder_learned_pos=True, activation_fn="gelu", max_source_positions=30, max_target_positions=40),
    "norm of the embeddings, tied output": dict(
        layernorm_embedding=True, share_decoder_input_output_embed=True, no_scale_embedding=True),
    "one matrix": dict(share_all_embeddings=True, share_decoder_input_output_embed=True),
    "no positions": dict(no_token_positional_embeddings=True, encoder_layers=1, decoder_layers=3),
}


def dictionary(prefix, size):
    made = Dictionary()
    for number in range(size):
        made.add_symbol(f"{prefix}{number}")
    return made


def make_model(options, source, target):
    """Makes weights larger than fairseq's, so that translations depend on them."""
    options = argparse.Namespace(arch="transformer", task="translation", source_lang="xx", target_lang="yy",
                                 **{**SIZES, **options})
    base_architecture(options)
    for name in ("max_source_positions", "max_target_positions"):
        setattr(options, name, getattr(options, name, 1024))
    task = argparse.Namespace(source_dictionary=source, target_dictionary=target)
    model = TransformerModel.build_model(options, task).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.2)
            else:
                parameter.mul_(1.5 if "embed" in name else 2.5)
    return options, model


def save(folder, options, model, source, target):
    """Saves a model as fairseq 0.12 does, or as fairseq 0.9 if its matrices are tied."""
    for language, symbols in (("xx", source), ("yy", target)):
        (folder / f"dict.{language}.txt").write_text("".join(f"{s} 1\n" for s in symbols.symbols[4:]))
    old = options.share_all_embeddings
    task = {"_name": "translation", "source_lang": "xx", "target_lang": "yy"}
    torch.save({"args": options if old else None, "cfg": None if old else {"model": options, "task": task},
                "model": model.state_dict()}, folder / "m.pt", _use_new_zipfile_serialization=not old)


def by_fairseq(model, source, target, lines):
    generator = SequenceGenerator([model], target, beam_size=5, max_len_a=0, max_len_b=LONGEST)
    for line in lines:
        ids = source.encode_line(line, add_if_not_exist=False).long()[None]
        sample = {"net_input": {"src_tokens": ids, "src_lengths": torch.tensor([ids.shape[1]])}}
        yield target.string(generator.generate([model], sample)[0][0]["tokens"])


def by_phraseq(folder, lines):
    subprocess.run([BIN / "phraseq-import", folder / "m.pt", folder / "m.safetensors"], check=True)
    done = subprocess.run([BIN / "phraseq-generate", "--path", folder / "m.safetensors", "--beam", "5", "--max-len-a", "0",
                           "--max-len-b", str(LONGEST)], input="".join(line + "\n" for line in lines),
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


fine = True
for seed, (name, options) in enumerate(VARIANTS.items()):
    torch.manual_seed(seed)
    random.seed(seed)
    source = dictionary("s", 40)
    target = source if options.get("share_all_embeddings") else dictionary("t", 50)
    lines = [" ".join(random.choices(source.symbols[4:], k=random.randint(1, 12))) for _ in range(40)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        options, model = make_model(options, source, target)
        save(folder, options, model, source, target)
        theirs, ours = list(by_fairseq(model, source, target, lines)), by_phraseq(folder, lines)
    same = sum(a == b for a, b in zip(theirs, ours))
    print(f"{name}: {same} of {len(lines)} lines are the same")
    fine &= theirs == ours
sys.exit(0 if fine else 1)
