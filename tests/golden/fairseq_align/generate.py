"""Writes this folder: models transformer_align of fairseq 0.12.2 with random weights, text with alignments, the
files that fairseq-preprocess makes of it, and the output of fairseq-generate.

    python3 generate.py FOLDER          (made with Python 3.11, fairseq 0.12.2 and PyTorch 2.13)

  causal.pt, full.pt       checkpoints, without and with --full-context-alignment; full.pt has --decoder-layerdrop, too
  train.xx, .yy, .align    text and its alignments; dict.xx.txt, dict.yy.txt
  train.align.xx-yy.*      as fairseq-preprocess --align-suffix align writes them
  expected.json            lines of fairseq-generate by model and --print-alignment; "kept" is full.pt with
                           encoder_layers_to_keep and decoder_layers_to_keep as its model overrides
"""
import argparse
import contextlib
import io
import json
import pathlib
import random
import shutil
import sys
import tempfile

import torch
from fairseq import options as fairseq_options
from fairseq.data import Dictionary
from fairseq.dataclass.utils import convert_namespace_to_omegaconf
from fairseq.models.transformer_align import TransformerAlignModel
from fairseq.modules.transformer_layer import TransformerEncoderLayerBase
from fairseq.tasks.translation import TranslationTask
from fairseq_cli import generate, preprocess
from omegaconf import OmegaConf

torch.serialization.add_safe_globals([argparse.Namespace])  # for the checkpoints that are written here
FOLDER = pathlib.Path(sys.argv[1])
SIZES = ["--encoder-embed-dim", "8", "--encoder-ffn-embed-dim", "12", "--encoder-layers", "2",
         "--encoder-attention-heads", "2", "--decoder-embed-dim", "8", "--decoder-ffn-embed-dim", "12",
         "--decoder-layers", "3", "--decoder-attention-heads", "2"]
MODELS = {"causal": [], "full": ["--full-context-alignment", "--decoder-layerdrop", "0.2"]}
KEPT = "{'encoder_layers_to_keep': '1', 'decoder_layers_to_keep': '0,2'}"


build_layer = TransformerEncoderLayerBase.__init__


def without_fast_path(self, *args, **options):
    """fairseq 0.12.2's fast inference calls an operator that later versions of PyTorch have changed."""
    build_layer(self, *args, **options)
    self.can_use_fastpath = False


TransformerEncoderLayerBase.__init__ = without_fast_path


def write_text():
    random.seed(4)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(FOLDER / f"train.{end}", "w")) for end in ("xx", "yy", "align")]
        for _ in range(12):
            source = [f"a{random.randrange(9)}" for _ in range(random.randrange(1, 8))]
            target = [f"b{random.randrange(7)}" for _ in range(random.randrange(1, 8))]
            links = [f"{random.randrange(len(source))}-{t}" for t in range(len(target)) if random.random() < 0.8]
            random.shuffle(links)
            for file, words in zip(files, (source, target, links)):
                file.write(" ".join(words) + "\n")


def binarize(data):
    parser = fairseq_options.get_preprocessing_parser()
    preprocess.main(parser.parse_args(["-s", "xx", "-t", "yy", "--trainpref", str(FOLDER / "train"), "--testpref",
                                       str(FOLDER / "train"), "--align-suffix", "align", "--destdir", data]))
    for name in ("dict.xx.txt", "dict.yy.txt", "train.align.xx-yy.bin", "train.align.xx-yy.idx"):
        shutil.copy(f"{data}/{name}", FOLDER / name)


def write_model(name, extra, data):
    parser = fairseq_options.get_training_parser()
    args = fairseq_options.parse_args_and_arch(parser, [
        data, "-s", "xx", "-t", "yy", "--arch", "transformer_align", *SIZES, "--alignment-layer", "1",
        "--load-alignments", "--criterion", "label_smoothed_cross_entropy_with_alignment",
        "--max-source-positions", "30", "--max-target-positions", "30", *extra])
    cfg = convert_namespace_to_omegaconf(args)
    task = TranslationTask.setup_task(cfg.task)
    torch.manual_seed(1)
    model = TransformerAlignModel.build_model(args, task)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.2)
            else:
                parameter.mul_(4.0)
    cfg = OmegaConf.to_container(cfg, resolve=True, enum_to_str=True)
    history = {"criterion_name": "", "optimizer_name": "", "lr_scheduler_state": {}, "num_updates": 0}
    torch.save({"args": None, "cfg": dict(cfg, model=args), "model": model.state_dict(), "optimizer_history": [history],
                "extra_state": {"epoch": 1, "train_iterator": {"epoch": 1}, "val_loss": 0.0}}, FOLDER / f"{name}.pt")


def lines(name, data, print_alignment, *extra):
    parser = fairseq_options.get_generation_parser()
    args = fairseq_options.parse_args_and_arch(parser, [
        data, "--path", str(FOLDER / f"{name}.pt"), "--beam", "3", "--nbest", "2", "--max-len-a", "0", "--max-len-b", "8",
        "--print-alignment", print_alignment, "--results-path", data, *extra])
    generate.main(convert_namespace_to_omegaconf(args))
    wanted = ("H-", "A-")
    return [line.rstrip("\n") for line in open(f"{data}/generate-test.txt") if line.startswith(wanted)]


write_text()
with tempfile.TemporaryDirectory() as data, contextlib.redirect_stdout(io.StringIO()):
    binarize(data)
    expected = {}
    for name, extra in MODELS.items():
        write_model(name, extra, data)
        expected[name] = {style: lines(name, data, style) for style in ("hard", "soft")}
    expected["kept"] = {style: lines("full", data, style, "--model-overrides", KEPT) for style in ("hard", "soft")}
(FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
