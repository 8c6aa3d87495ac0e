#!/usr/bin/env python3
"""Writes a tiny M2M-100 and a tiny NLLB model of Hugging Face and their translations. generate.py FOLDER

Made with transformers 5.23.0, sentencepiece 0.2.1 and PyTorch 2.13. The models were trained briefly, so that their
translations differ and end, and depend on the languages. m2m100 has model.safetensors, nllb pytorch_model.bin.
"""
import json
import pathlib
import random
import sys

import sentencepiece
import torch
from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer, NllbTokenizer

FOLDER = pathlib.Path(sys.argv[1])
LONGEST = 62  # </s>, the language, 59 tokens and </s>
VOWELS = {"de": "eioua", "fr": "uaeio"}
CODES = {"m2m100": {"en": "en", "de": "de", "fr": "fr"},
         "nllb": {"en": "eng_Latn", "de": "deu_Latn", "fr": "fra_Latn"}}
SYLLABLES = [c + v for c in "bdfgklmnprst" for v in "aeiou"]


def sentence():
    return " ".join("".join(random.choices(SYLLABLES, k=random.randint(1, 3))) for _ in range(random.randint(1, 9)))


def learn_pieces(folder):
    """Learns a model like those of fairseq, with <unk>, <s> and </s> first."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([sentence() for _ in range(400)]), model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=70, model_type="bpe", normalization_rule_name="identity", hard_vocab_limit=False, minloglevel=2)
    (folder / "sentencepiece.bpe.vocab").unlink()
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
    return [pieces.id_to_piece(i) for i in range(3, len(pieces))]


def make_m2m100(folder):
    symbols = ["<s>", "<pad>", "</s>", "<unk>"] + learn_pieces(folder)
    (folder / "vocab.json").write_text(json.dumps({s: i for i, s in enumerate(symbols)}, ensure_ascii=False) + "\n")
    tokenizer = M2M100Tokenizer(str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"))
    return tokenizer, tokenizer.get_lang_id("zu") + 1 + 8


def make_nllb(folder):
    learn_pieces(folder)
    codes = sorted(CODES["nllb"].values())
    tokenizer = NllbTokenizer.from_pretrained(folder, extra_special_tokens=codes)
    return tokenizer, len(tokenizer) + 2


def make_model(size):
    config = M2M100Config(
        vocab_size=size, d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24, decoder_ffn_dim=20,
        encoder_attention_heads=4, decoder_attention_heads=2, activation_function="relu", scale_embedding=True,
        max_position_embeddings=64, init_std=0.15, encoder_layerdrop=0.0, decoder_layerdrop=0.0, dropout=0.0,
        attention_dropout=0.0)
    return M2M100ForConditionalGeneration(config)


def batch_of(tokenizer, lines, source, target=None, translations=None):
    tokenizer.src_lang = source
    if target:
        tokenizer.tgt_lang = target
    return tokenizer(lines, text_target=translations, return_tensors="pt", padding=True)


def train(model, tokenizer, codes, steps):
    """Trains the model to spell every source word backwards, with another vowel for each language."""
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    model.train()
    for step in range(steps):
        language = random.choice(list(VOWELS))
        sources = [sentence() for _ in range(16)]
        targets = [" ".join(w[::-1].translate(str.maketrans("aeiou", VOWELS[language])) for w in s.split())
                   for s in sources]
        batch = batch_of(tokenizer, sources, codes["en"], codes[language], targets)
        labels = batch.pop("labels")
        fed = torch.cat([torch.full((len(sources), 1), 2), labels[:, :-1]], dim=1)
        logits = model(**batch, decoder_input_ids=fed).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    model.eval()


def translate(model, tokenizer, line, source, target, beams):
    """None at the length limit, where transformers gives </s> a log-probability of zero instead of the model's."""
    batch = batch_of(tokenizer, [line], source)
    output = model.generate(**batch, max_length=LONGEST, early_stopping=beams > 1, length_penalty=0.0, num_beams=beams, do_sample=False,
                            forced_bos_token_id=tokenizer.convert_tokens_to_ids(token_of(target)), forced_eos_token_id=None)
    text = tokenizer.decode(output[0], skip_special_tokens=True)
    return None if output.shape[1] >= LONGEST else text.removeprefix(token_of(target)).strip()


def token_of(code):
    return code if "_" in code else f"__{code}__"


def write(name, make):
    folder, codes = FOLDER / name, CODES[name]
    random.seed(3)
    torch.manual_seed(3)
    folder.mkdir(exist_ok=True)
    tokenizer, size = make(folder)
    model = make_model(size)
    train(model, tokenizer, codes, 250)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if name == "nllb":
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    sources = [sentence() for _ in range(14)] + ["qx zz", "ba"]
    for source, target in (("en", "de"), ("en", "fr"), ("de", "fr")):
        rows = [[s] + [translate(model, tokenizer, s, codes[source], codes[target], beams) for beams in (1, 4)]
                for s in sources]
        rows = [row for row in rows if None not in row]
        print(name, source, target, len(rows), rows[0])
        (folder / f"{source}-{target}.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


write("m2m100", make_m2m100)
write("nllb", make_nllb)
