#!/usr/bin/env python3
"""Writes a tiny MarianMTModel of Hugging Face and its translations. generate.py FOLDER

Made with transformers 4.57.1, sentencepiece 0.2.3 and PyTorch 2.13. The model was trained briefly, so that its
translations differ and end. model.safetensors and pytorch_model.bin hold the same weights.
"""
import json
import pathlib
import random
import sys

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

FOLDER = pathlib.Path(sys.argv[1])
LONGEST = 62  # <pad>, 60 tokens and </s>
random.seed(3)
torch.manual_seed(3)

SYLLABLES = [c + v for c in "bdfgklmnprst" for v in "aeiou"]


def sentence():
    return " ".join("".join(random.choices(SYLLABLES, k=random.randint(1, 3))) for _ in range(random.randint(1, 9)))


for side in ("source", "target"):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([sentence() for _ in range(400)]), model_prefix=str(FOLDER / side), vocab_size=70,
        model_type="unigram", normalization_rule_name="identity", bos_id=-1, pad_id=-1, unk_id=1, eos_id=0,
        hard_vocab_limit=False, minloglevel=2)
    (FOLDER / f"{side}.vocab").unlink()
    (FOLDER / f"{side}.model").rename(FOLDER / f"{side}.spm")

pieces = ["</s>", "<unk>"]
for side in ("source", "target"):
    model = sentencepiece.SentencePieceProcessor(model_file=str(FOLDER / f"{side}.spm"))
    pieces += [p for p in model.id_to_piece(list(range(len(model)))) if p not in pieces]
pieces.append("<pad>")
(FOLDER / "vocab.json").write_text(json.dumps({p: i for i, p in enumerate(pieces)}, ensure_ascii=False) + "\n")
(FOLDER / "tokenizer_config.json").write_text(json.dumps({"source_lang": "xx", "target_lang": "yy"}) + "\n")

size = len(pieces)
config = MarianConfig(
    vocab_size=size, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24, decoder_ffn_dim=20,
    encoder_attention_heads=4, decoder_attention_heads=2, activation_function="swish", scale_embedding=True,
    max_position_embeddings=64, eos_token_id=0, forced_eos_token_id=0, pad_token_id=size - 1,
    decoder_start_token_id=size - 1, init_std=0.1)
config.static_position_embeddings = True
model = MarianMTModel(config)
with torch.no_grad():
    model.final_logits_bias.copy_(torch.randn(1, size) * 0.3)
tokenizer = MarianTokenizer.from_pretrained(FOLDER)


def train(steps):
    """Trains the model to spell every source word backwards, with another vowel."""
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for step in range(steps):
        sources = [sentence() for _ in range(16)]
        targets = [" ".join(w[::-1].translate(str.maketrans("aeiou", "eioua")) for w in s.split()) for s in sources]
        batch = tokenizer(sources, text_target=targets, return_tensors="pt", padding=True)
        batch["labels"][batch["labels"] == size - 1] = -100
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


model.train()
train(500)
model.eval()
model.generation_config.bad_words_ids = [[size - 1]]
model.save_pretrained(FOLDER)
torch.save(model.state_dict(), FOLDER / "pytorch_model.bin")
sources = [sentence() for _ in range(40)] + ["qx zz", "ba"]


def translate(line, **settings):
    batch = tokenizer([line], return_tensors="pt")
    output = model.generate(**batch, max_length=LONGEST, early_stopping=settings["num_beams"] > 1, **settings)
    return None if output.shape[1] >= LONGEST else tokenizer.decode(output[0], skip_special_tokens=True)


# At the length limit, transformers gives </s> a log-probability of zero. Such lines are left out.
results = [(s, translate(s, num_beams=1, do_sample=False), translate(s, num_beams=4)) for s in sources]
results = [row for row in results if None not in row]
for name, column in (("source", 0), ("greedy", 1), ("beam4", 2)):
    (FOLDER / f"{name}.txt").write_text("".join(row[column] + "\n" for row in results))
