"""Golden values of transformer_align and its criterion (Garg et al. 2019), computed by fairseq 0.12.2 in double precision.

fairseq computes softmax and attention weights in single precision; here, both are in double precision.
Run:  python3 generate.py > golden.json        (made with Python 3.11, fairseq 0.12.2, PyTorch 2)

Parameters are those of tests/golden/transformer/generate.py. golden.json: a list of cases
  options                      of the architecture
  lambda, epsilon              options of the criterion
  sources, targets, alignments sentences of the batch and their links, as a flat list of source and target
  loss, nll, alignment_loss    sums
  weights                      [sentence][target token][source token], the alignment of each sentence alone
  gradients                    of every parameter, by name, flat
"""
import argparse
import json
import sys

import torch
import torch.nn.functional as F
from fairseq import utils
from fairseq.criterions.label_smoothed_cross_entropy_with_alignment import (
    LabelSmoothedCrossEntropyCriterionWithAlignment as Criterion)
from fairseq.data import Dictionary
from fairseq.data.language_pair_dataset import collate
from fairseq.models.transformer_align import TransformerAlignModel, transformer_align

utils.softmax = lambda x, dim, onnx_trace=False: F.softmax(x, dim=dim)
utils.log_softmax = lambda x, dim, onnx_trace=False: F.log_softmax(x, dim=dim)
torch.Tensor.float = lambda self: self.double()

SOURCES = [[5, 9, 4, 7, 2], [6, 2], [8, 10, 5, 2]]
TARGETS = [[4, 12, 7, 2], [9, 5, 6, 11, 8, 2], [10, 2]]
ALIGNMENTS = [[0, 0, 2, 1, 3, 1, 1, 2], [0, 3, 0, 1], []]


class Task:
    def __init__(self):
        self.source_dictionary, self.target_dictionary = Dictionary(), Dictionary()
        for dictionary, size in ((self.source_dictionary, 11), (self.target_dictionary, 13)):
            for i in range(size - len(dictionary)):
                dictionary.add_symbol(f"w{i}")


def set_values(model):
    for name, parameter in model.named_parameters():
        n = parameter.numel()
        v = 0.25 * torch.sin(0.61 * torch.arange(1, n + 1, dtype=torch.float64) + 0.017 * sum(name.encode()))
        if name.endswith("layer_norm.weight") or name.endswith("layernorm_embedding.weight"):
            v = 1 + 0.4 * v
        parameter.data = v.view(parameter.shape)


def batch(task, indices):
    samples = [{"id": i, "source": torch.tensor(SOURCES[i]), "target": torch.tensor(TARGETS[i]),
                "alignment": torch.tensor(ALIGNMENTS[i], dtype=torch.long)} for i in indices]
    return collate(samples, task.source_dictionary.pad(), task.source_dictionary.eos())


def case(pre_norm, **alignment):
    task = Task()
    options = dict(
        encoder_embed_dim=8, encoder_ffn_embed_dim=6, encoder_layers=1, encoder_attention_heads=2,
        decoder_embed_dim=8, decoder_ffn_embed_dim=10, decoder_layers=2, decoder_attention_heads=2,
        encoder_normalize_before=pre_norm, decoder_normalize_before=pre_norm,
        max_source_positions=20, max_target_positions=20, **alignment)
    args = argparse.Namespace(**options, encoder_learned_pos=True, decoder_learned_pos=True, dropout=0.0)
    transformer_align(args)
    model = TransformerAlignModel.build_model(args, task).double()
    set_values(model)
    criterion = Criterion(task, sentence_avg=False, label_smoothing=0.1, alignment_lambda=0.3)
    model.train()
    loss, _, log = criterion(model, batch(task, [0, 1, 2]))
    loss.backward()
    weights = []
    for i in range(len(SOURCES)):
        inputs = batch(task, [i])["net_input"]
        weights.append(model(**inputs)[1]["attn"][0][0].tolist())
    return {"options": options, "lambda": 0.3, "epsilon": 0.1, "sources": SOURCES, "targets": TARGETS,
            "alignments": ALIGNMENTS, "loss": loss.item(), "nll": float(log["nll_loss"]),
            "alignment_loss": float(log["alignment_loss"]), "weights": weights,
            "gradients": {name: parameter.grad.flatten().tolist() for name, parameter in model.named_parameters()
                          if parameter.grad is not None}}  # copies for fast inference have none


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.13g}")
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return {k: rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


cases = [case(False, alignment_heads=1, alignment_layer=0, full_context_alignment=False),
         case(True, alignment_heads=2, alignment_layer=1, full_context_alignment=False),
         case(False, alignment_heads=1, alignment_layer=1, full_context_alignment=True)]
sys.stdout.write("[" + ",\n ".join(json.dumps(rounded(c)) for c in cases) + "]\n")
