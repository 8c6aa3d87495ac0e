"""Writes fairseq_defaults.json: the values of fairseq's architectures, read from its source.

    pip download --no-deps --no-binary :all: fairseq==0.12.2 && tar xzf fairseq-0.12.2.tar.gz
    python3 fairseq_defaults.py fairseq-0.12.2 > fairseq_defaults.json

Only the functions that fill in the values are run; PyTorch is not needed.
"""

import argparse
import ast
import json
import sys
from pathlib import Path

ARCHITECTURES = {"transformer": "base_architecture",
                 "transformer_iwslt": "transformer_iwslt_de_en"}
ARCHITECTURES.update({name: name for name in [
    "transformer_iwslt_de_en", "transformer_wmt_en_de", "transformer_vaswani_wmt_en_de_big",
    "transformer_vaswani_wmt_en_fr_big", "transformer_wmt_en_de_big", "transformer_wmt_en_de_big_t2t"]})
OPTIONS = ["encoder_embed_dim", "encoder_ffn_embed_dim", "encoder_layers", "encoder_attention_heads",
           "decoder_embed_dim", "decoder_ffn_embed_dim", "decoder_layers", "decoder_attention_heads",
           "encoder_normalize_before", "decoder_normalize_before", "dropout", "attention_dropout",
           "activation_dropout", "share_all_embeddings", "share_decoder_input_output_embed",
           "no_scale_embedding", "activation_fn"]


def functions_of(source):
    """The functions named *architecture* or transformer_*, without their decorators."""
    tree = ast.parse(source.read_text())
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in found:
        node.decorator_list = []
    names = {}
    exec(compile(ast.Module(found, []), str(source), "exec"), names)
    return names


def constant(source, name):
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise SystemExit(f"{source}: no {name}")


def default_argument(source, function, argument):
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            names = [a.arg for a in node.args.args]
            offset = len(names) - len(node.args.defaults)
            return ast.literal_eval(node.args.defaults[names.index(argument) - offset])
    raise SystemExit(f"{source}: no {function}")


def main():
    fairseq = Path(sys.argv[1]) / "fairseq"
    functions = functions_of(fairseq / "models/transformer/transformer_legacy.py")
    result = {}
    for ours, theirs in ARCHITECTURES.items():
        args = argparse.Namespace()
        functions[theirs](args)
        values = {name: getattr(args, name) for name in OPTIONS}
        values["norm_eps"] = default_argument(fairseq / "modules/layer_norm.py", "LayerNorm", "eps")
        for side in ["source", "target"]:
            values[f"max_{side}_positions"] = constant(
                fairseq / "models/transformer/transformer_config.py",
                f"DEFAULT_MAX_{side.upper()}_POSITIONS")
        result[ours] = values
    print(json.dumps(result, indent=1))


main()
