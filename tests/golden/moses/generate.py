#!/usr/bin/env python3
"""Writes random lines in ten languages with the results of sacremoses 0.1.1, and words with those of subword-nmt.

Run:  pip install sacremoses==0.1.1 subword-nmt==0.3.8 && python generate.py

lines.tsv.gz: language, line, tokens (escaped, hyphens split), tokens (neither), the first ones detokenized, and the
line with normalized punctuation.
bpe.json.gz: text, the codes that subword-nmt learns from it, and the text segmented with these codes: as they are, as
version 0.1, with a vocabulary, and with a vocabulary and a threshold.
"""
import gzip
import io
import json
import random

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer
from sacremoses.corpus import NonbreakingPrefixes
from subword_nmt.apply_bpe import BPE, read_vocabulary
from subword_nmt.get_vocab import get_vocab
from subword_nmt.learn_bpe import learn_bpe

WORDS = {
    "en": "the house isn't Jones' can't we've it's 1990's don't well-known rock'n'roll O'Neil e-mail said Mr",
    "de": "Größe Straße Ü-Wagen geht's Müller ändern d. h z.B Nr Hr. Dr St. Bahn-Card 3-mal",
    "fr": "l'homme d'une qu'il aujourd'hui c'est-à-dire été garçon œuvre M. Mme L'État n° jusqu'à",
    "it": "l'acqua dell'arte perché un po' città c'è sig. dott quell'uomo",
    "cs": "příliš žluťoučký kůň např. č. e-mail 3,5 je-li str atd. „Ano“ obr",
    "fi": "EU:n USA:ssa päivä yö esim. n. 20:een hyvä tri talo",
    "ru": "Привет дом ул. г. т.е. объект-цель Ёлка стр им.",
    "zh": "你好 世界 北京 大学 。 ， 「引号」 2008年 中文ABC",
    "ja": "日本語 カタカナ ひらがな テスト 。 、 東京タワー",
    "xx": "foo bar हिन्दी ภาษาไทย العربية עברית 한국어 ελληνικά naïve",
}
MARKS = [",", ".", "..", "...", "....", "!", "?", ":", ";", "(", ")", "[", "]", "{", "}", '"', "'", "''", "`", "``", "„",
         "“", "”", "«", "»", "-", "--", "–", "/", "\\", "%", "&", "|", "<", ">", "@", "#", "$", "€", "£", "¿", "¡", "*",
         "+", "=", "~", "^", "_", "°", "§", "’", "‘", "‚", "—", "´", "a’b", "\u00a0%", "«\u00a0", "\u00a0»", "1\u00a000", "©", "№", "½", "²", "…", "&amp;", "&quot;", "@-@", ".'", ",,"]
NUMBERS = ["1", "23", "1,000", "3.14", "5,", ",7", "10%", "$5", "1990's", "2.", "٣", "1-2", "20.30.", "Ⅳ"]
CONTROLS = ["\u00a0", "\u200b", "\u2028", "\u3000", "\u0085"]


def line(language, random_state):
    words = WORDS[language].split() + list(NonbreakingPrefixes().words(language))[:60]
    parts = []
    for _ in range(random_state.randint(1, 14)):
        kind = random_state.random()
        if kind < 0.55:
            parts.append(random_state.choice(words).replace(" #NUMERIC_ONLY#", ""))
        elif kind < 0.62:
            parts.append(random_state.choice(words).split()[0] + ".")
        elif kind < 0.85:
            parts.append(random_state.choice(MARKS))
        elif kind < 0.98:
            parts.append(random_state.choice(NUMBERS))
        else:
            parts.append(random_state.choice(CONTROLS))
        parts.append(random_state.choice([" ", " ", " ", "", "", "  "]))
    return "".join(parts)


def moses_lines():
    random_state = random.Random(1)
    rows = []
    for language in WORDS:
        tokenizer, detokenizer = MosesTokenizer(language), MosesDetokenizer(language)
        normalizer = MosesPunctNormalizer(language)
        for _ in range(400):
            text = line(language, random_state)
            tokens = tokenizer.tokenize(text, aggressive_dash_splits=True, return_str=True, escape=True)
            plain = tokenizer.tokenize(text, aggressive_dash_splits=False, return_str=True, escape=False)
            try:
                joined = detokenizer.detokenize(tokens.split())
            except TypeError:  # a bug of sacremoses: it calls "next" of a list for dashed words in Czech
                continue
            rows.append("\t".join([language, text, tokens, plain, joined, normalizer.normalize(text)]))
    with gzip.GzipFile("lines.tsv.gz", "wb", 9, mtime=0) as file:
        file.write(("\n".join(rows) + "\n").encode())


def bpe_case():
    random_state = random.Random(2)
    syllables = ["ba", "aa", "aaa", "no", "tü", "äß", "ko", "ri", "日本", "é", "-", "e", "x", "\u0301"]
    words = ["".join(random_state.choice(syllables) for _ in range(random_state.randint(1, 5))) for _ in range(300)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    text = [" ".join(random_state.choices(words, weights, k=random_state.randint(1, 12))) for _ in range(300)]
    codes = io.StringIO()
    learn_bpe(text, codes, 150, min_frequency=2)
    bpe = BPE(io.StringIO(codes.getvalue()))
    segmented = [bpe.process_line(one) for one in text]
    old_codes = "".join(f"{a} {b}\n" for a, b in (x.split(" ") for x in codes.getvalue().split("\n")[1:-1]))
    old = BPE(io.StringIO(old_codes))
    vocabulary = io.StringIO()
    get_vocab(segmented, vocabulary)
    restricted = BPE(io.StringIO(codes.getvalue()), vocab=read_vocabulary(io.StringIO(vocabulary.getvalue()), 30))
    half = "".join(vocabulary.getvalue().splitlines(True)[::2])
    halved = BPE(io.StringIO(codes.getvalue()), vocab=read_vocabulary(io.StringIO(half), None))
    case = {"text": text, "codes": codes.getvalue(), "segmented": segmented, "old_codes": old_codes,
            "old": [old.process_line(one) for one in text], "vocabulary": vocabulary.getvalue(), "threshold": 30,
            "restricted": [restricted.process_line(one) for one in text], "half": half,
            "halved": [halved.process_line(one) for one in text]}
    with gzip.GzipFile("bpe.json.gz", "wb", 9, mtime=0) as file:
        file.write(json.dumps(case, ensure_ascii=False).encode())


if __name__ == "__main__":
    moses_lines()
    bpe_case()
