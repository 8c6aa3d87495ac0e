"""The peer of the training races: PyTorch's own Transformer, in eager mode or compiled.

Reads a data folder, trains on batches made as phraseq makes them (sentences sorted by length, the
larger side's tokens summed up to --max-tokens), and prints target tokens per second without
padding. Dropout is in the same places as in fairseq: embeddings and residuals.
"""

import argparse
import itertools
import json
import math
import random
import time

import torch
from torch import nn
from torch.nn import functional

import fairseq_data

PRESETS = {  # model width, feed-forward width, heads, layers on each side, dropout
    "tiny": (128, 256, 4, 4, 0.3),
    "small": (256, 1024, 4, 4, 0.1),
    "base": (512, 2048, 8, 6, 0.1),
    "big": (1024, 4096, 16, 6, 0.3),
}
UNTIMED_UPDATES = 3  # to warm up caches


class Translator(nn.Module):
    """nn.Transformer with one embedding matrix for source, target and output."""

    def __init__(self, vocabulary, preset, longest=1024):
        super().__init__()
        width, inner, heads, layers, dropout = PRESETS[preset]
        self.width, self.dropout = width, dropout
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=fairseq_data.PAD)
        nn.init.normal_(self.embedding.weight, std=width ** -0.5)
        self.body = nn.Transformer(width, heads, layers, layers, inner, dropout, batch_first=True)
        self.body.encoder.norm = self.body.decoder.norm = None  # norms follow sublayers: none at the end
        for layer in [*self.body.encoder.layers, *self.body.decoder.layers]:
            layer.dropout = nn.Identity()
            for attention in (layer.self_attn, getattr(layer, "multihead_attn", layer.self_attn)):
                attention.dropout = 0.0
        self.register_buffer("positions", sinusoids(longest, width))
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(longest))

    def embed(self, ids):
        rows = self.embedding(ids) * math.sqrt(self.width) + self.positions[: ids.shape[1]]
        return functional.dropout(rows, self.dropout, self.training)

    def forward(self, source, target):  # [batch, time] → logits [batch, tgt_time, vocab]
        padding = source == fairseq_data.PAD
        steps = target.shape[1]
        hidden = self.body(self.embed(source), self.embed(target), tgt_mask=self.future[:steps, :steps],
                           src_key_padding_mask=padding, memory_key_padding_mask=padding,
                           tgt_is_causal=True)
        return functional.linear(hidden, self.embedding.weight)


def sinusoids(length, width):
    rates = torch.exp(torch.arange(width // 2) * -(math.log(10000) / (width // 2 - 1)))
    angles = torch.arange(length)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)  # [time, model]


def padded(sentences):
    rows = [torch.tensor(sentence) for sentence in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=fairseq_data.PAD)


def make_batches(folder, max_tokens, seed):
    """Shuffled batches of (source, target in, target out)."""
    sources = fairseq_data.read_sentences(f"{folder}/train.en-de.en")
    targets = fairseq_data.read_sentences(f"{folder}/train.en-de.de")
    draw = random.Random(seed)
    order = list(range(len(sources)))
    draw.shuffle(order)
    order.sort(key=lambda index: (len(targets[index]), len(sources[index])))
    batches, batch, source_sum, target_sum = [], [], 0, 0
    for index in order:
        source_sum += len(sources[index])
        target_sum += len(targets[index])
        if batch and max(source_sum, target_sum) > max_tokens:
            batches.append(batch)
            batch, source_sum, target_sum = [], len(sources[index]), len(targets[index])
        batch.append(index)
    batches.append(batch)
    draw.shuffle(batches)
    for batch in batches:
        shifted = [[fairseq_data.EOS, *targets[index][:-1]] for index in batch]
        yield (padded([list(sources[index]) for index in batch]), padded(shifted),
               padded([list(targets[index]) for index in batch]))


def endless_batches(folder, max_tokens):
    for epoch in itertools.count(1):
        yield from make_batches(folder, max_tokens, seed=epoch)


def train_step(model, optimizer, batch, precision, device):
    tokens = int((batch[2] != fairseq_data.PAD).sum())  # still on the CPU, so that nothing waits for a GPU
    source, target_in, target_out = (ids.pin_memory().to(device, non_blocking=True) if device == "cuda" else ids
                                     for ids in batch)
    with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
        logits = model(source, target_in)
        loss = functional.cross_entropy(logits.flatten(0, 1), target_out.flatten(), reduction="sum",
                                        ignore_index=fairseq_data.PAD, label_smoothing=0.1)
    (loss / tokens).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--preset", choices=PRESETS, required=True)
    parser.add_argument("--precision", choices=("fp32", "bf16"), required=True)
    parser.add_argument("--vocabulary", type=int, required=True)
    parser.add_argument("--max-tokens", type=int, required=True)
    parser.add_argument("--updates", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--compile", action="store_true", help="use torch.compile")
    parser.add_argument("--warmup", type=int, default=UNTIMED_UPDATES, help="updates before the timed ones")
    options = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(options.threads)
    model = Translator(options.vocabulary, options.preset).to(options.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), fused=True)
    step_model = torch.compile(model, dynamic=True) if options.compile else model
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    tokens, start = 0, 0.0
    for update, batch in enumerate(endless_batches(options.folder, options.max_tokens)):
        if update == options.warmup:
            wait()
            tokens, start = 0, time.perf_counter()
        if update == options.warmup + options.updates:
            break
        tokens += train_step(step_model, optimizer, batch, options.precision, options.device)
    wait()
    print(json.dumps({"tokens_per_second": tokens / (time.perf_counter() - start)}))


if __name__ == "__main__":
    main()
