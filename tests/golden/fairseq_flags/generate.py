"""Writes flags.json: the flags of fairseq 0.12.2's commands, read from its own parsers.

    pip download --no-deps --no-binary :all: fairseq==0.12.2 && tar xzf fairseq-0.12.2.tar.gz
    pip install "omegaconf==2.0.6" "hydra-core==1.0.7" "numpy<2" regex "sacrebleu==2.3.1" cffi bitarray tqdm torch
    python3 generate.py fairseq-0.12.2 > flags.json          (made with Python 3.11)

flags.json: for each command a list of {"flags": the names, longest first, "values": "0", "1", "?" or "*"}. Included are
the models transformer and transformer_lm, the tasks translation and translation_multi_simple_epoch (language_modeling
for train and eval-lm), the criterions of translation, and every optimizer, scheduler, scorer, tokenizer and subword
model.
"""
import argparse
import json
import logging
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fairseq_dataclasses  # noqa: E402, F401

sys.path.insert(0, sys.argv[1])
from fairseq import options  # noqa: E402
from fairseq.dataclass.utils import gen_parser_from_dataclass  # noqa: E402
from fairseq.models import ARCH_MODEL_REGISTRY  # noqa: E402
from fairseq.registry import REGISTRIES  # noqa: E402
from fairseq.tasks import TASK_REGISTRY  # noqa: E402
from fairseq_cli.score import get_parser as score_parser  # noqa: E402

logging.disable(logging.CRITICAL)
CRITERIONS = ["cross_entropy", "label_smoothed_cross_entropy", "label_smoothed_cross_entropy_with_alignment",
              "label_smoothed_cross_entropy_with_ctc", "adaptive_loss"]


def registered(*kinds):
    return [component for kind in kinds for component in REGISTRIES[kind]["registry"].values()]


def with_components(parser, components):
    for component in components:
        own = argparse.ArgumentParser(argument_default=argparse.SUPPRESS, add_help=False, conflict_handler="resolve")
        if hasattr(component, "add_args"):
            component.add_args(own)
        elif getattr(component, "__dataclass", None):
            gen_parser_from_dataclass(own, getattr(component, "__dataclass")())
        known = {flag for action in parser._actions for flag in action.option_strings}
        for action in own._actions:
            if not any(flag in known for flag in action.option_strings):
                parser._add_action(action)
    return parser


def flags(parser):
    values = {0: "0", "?": "?", "*": "*", "+": "*"}
    found = [{"flags": sorted(action.option_strings, key=lambda name: -len(name)),
              "values": values.get(action.nargs, "1")}
             for action in parser._actions if action.option_strings and action.dest != "help"]
    return sorted(found, key=lambda flag: flag["flags"])


def main():
    criterions = [REGISTRIES["criterion"]["registry"][name] for name in CRITERIONS]
    output = registered("scoring", "bpe", "tokenizer")
    task = [TASK_REGISTRY[name] for name in ("translation", "translation_multi_simple_epoch")]
    models = [ARCH_MODEL_REGISTRY["transformer"], ARCH_MODEL_REGISTRY["transformer_lm"]]
    training = [TASK_REGISTRY["language_modeling"]] + models + criterions + registered("optimizer", "lr_scheduler") + output
    json.dump({
        "train": flags(with_components(options.get_training_parser(), task + training)),
        "generate": flags(with_components(options.get_generation_parser(), task + output)),
        "interactive": flags(with_components(options.get_generation_parser(interactive=True), task + output)),
        "preprocess": flags(options.get_preprocessing_parser()),
        "validate": flags(with_components(options.get_validation_parser(), task + criterions)),
        "score": flags(score_parser()),
        "eval-lm": flags(with_components(options.get_eval_lm_parser(), [TASK_REGISTRY["language_modeling"]])),
    }, sys.stdout, indent=0)
    print()


main()
