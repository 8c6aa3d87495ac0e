#!/usr/bin/env python3
"""Writes fuzz.jsonl.gz: random and difficult sentence pairs with the results of sacrebleu.

    python3 -m venv venv && venv/bin/pip install sacrebleu==2.6.0
    venv/bin/python generate.py fuzz.jsonl.gz            # the file, the same bytes each time
    venv/bin/python generate.py --explain BLOCK PAIR     # the statistics behind one checksum

A line is a block of sentence pairs with equally many references:

    {"pairs": [[hypothesis, reference, ...], ...],
     "checksums": "...",       4 hexadecimal digits per pair: the lower half of the CRC-32 of its statistics
                               with all of STATISTICS
     "corpus": [...],          the block's score with each of SCORES
     "sentences": [...]}       the mean over its pairs of the sentence's score with each of SCORES

Characters with different classes in Python and `regex`, which follow other Unicode versions, are not
used. tests/core/score/fuzz_test.cpp reads the file.
"""

import argparse
import gzip
import json
import random
import unicodedata
import zlib

import regex
from sacrebleu.metrics import BLEU, CHRF, TER

BLOCKS, PAIRS = 320, 64

# One metric for each set of statistics; the names are those of fuzz_test.cpp.
STATISTICS = {
    "13a": BLEU(),
    "13a-lc-6": BLEU(lowercase=True, max_ngram_order=6),
    "intl": BLEU(tokenize="intl"),
    "intl-lc": BLEU(tokenize="intl", lowercase=True),
    "zh": BLEU(tokenize="zh"),
    "char": BLEU(tokenize="char"),
    "none": BLEU(tokenize="none", max_ngram_order=2),
    "chrf": CHRF(),
    "chrf++": CHRF(word_order=2, lowercase=True),
    "chrf-space": CHRF(char_order=3, word_order=1, whitespace=True),
    "ter": TER(),
    "ter-norm": TER(normalized=True),
    "ter-punct": TER(no_punct=True, case_sensitive=True),
    "ter-asian": TER(normalized=True, asian_support=True),
    "ter-all": TER(normalized=True, asian_support=True, no_punct=True),
}

# Metrics that turn statistics (the name before the colon) into scores.
SCORES = {
    "13a:exp": BLEU(),
    "13a:floor": BLEU(smooth_method="floor"),
    "13a:floor-0.5": BLEU(smooth_method="floor", smooth_value=0.5),
    "13a:add-k": BLEU(smooth_method="add-k"),
    "13a:none": BLEU(smooth_method="none"),
    "13a:exp-eff": BLEU(effective_order=True),
    "13a:floor-eff": BLEU(smooth_method="floor", effective_order=True),
    "13a:none-eff": BLEU(smooth_method="none", effective_order=True),
    "13a-lc-6:exp": BLEU(max_ngram_order=6),
    "chrf:": CHRF(),
    "chrf:beta": CHRF(beta=3),
    "chrf:eps": CHRF(eps_smoothing=True),
    "chrf++:": CHRF(word_order=2),
    "ter:": TER(),
    "ter-asian:": TER(),
}

WORDS = ("the a of to and in is was it he The A It He man dog cat house can't don't it's l'eau re-do "
         "co-operate 1 2 10 3.5 1,000 1,000.50 .5 5. 3-4 x-3 a-b U.S. e.g. etc. Mr. end. yes, no; why? "
         "stop! (or) [x] {y} \"so\" 'so' `so` a/b a_b a|b a~b a\\b a^b a@b #tag $5 5% R&D <b> </b> x=y "
         "a+b * -- - -5 ... .. . , : ; ! ? ..a a.. ,, .,. 1.a a.1 1,a a,1 1-a -1- &quot; &amp; &lt; &gt; "
         "&amp;lt; &amp;quot; &apos; &#39; &quot;a&quot; <skipped> a<skipped>b 's man's 'S dog's. Haus Straße "
         "ÄRGER Ärger İstanbul ΟΔΟΣ ΟΔΟΣ. Σ ΑΣΑ Σ' ΑΣ\u0301 ΑΣ-Β ǅ ﬁ ﬀ Ω ẞ ŁÓDŹ “curly” ‘x’ — – … « » €5 £ ± × "
         "١٢ ١,٢ ١.٢ ½ ² 5² Ⅳ ५-६ ① 。 、 ， ． ？ ！ （ ） 「」 『x』 【x】 〜 ・ ｡｢｣､･ ー カタカナ ひらがな 漢字 漢 字 中文 "
         "我们是 你好。 Ａ１ ｆｕｌｌ 한국어 ﷽ עברית العربية हिन्दी ไทย 🙂 👨‍👩‍👧 🇩🇪 é e\u0301 \u0301 \u200b \ufeff "
         "\u200d \u00ad").split(" ")
SPACES = ["\t", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u1680", "\u2000",
          "\u2003", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "  ", "\n", "-\n"]
# The ends of the ranges of the zh and tercom tokenizers, and what lies just outside.
EDGES = [0x2000, 0x2001, 0x2A6D, 0x2A6E, 0x2E7F, 0x2E80, 0x2EFF, 0x2F00, 0x2F80, 0x2F81, 0x2FA1, 0x2FA2,
         0x2FDF, 0x2FE0, 0x2FEF, 0x2FF0, 0x2FFF, 0x3000, 0x3001, 0x3002, 0x3007, 0x3008, 0x3011, 0x3012,
         0x3013, 0x3014, 0x301F, 0x3020, 0x303F, 0x3040, 0x3041, 0x309F, 0x30A0, 0x30FB, 0x30FF, 0x3100,
         0x312F, 0x3130, 0x319F, 0x31A0, 0x31BF, 0x31C0, 0x31EF, 0x31F0, 0x31FF, 0x3200, 0x32FF, 0x3300,
         0x33FF, 0x3400, 0x3F22, 0x3F23, 0x4DB5, 0x4DB6, 0x4DBF, 0x4DC0, 0x4DFF, 0x4E00, 0x9FA5, 0x9FA6,
         0x9FBB, 0x9FBC, 0x9FFF, 0xA000, 0xF8FF, 0xF900, 0xFA2D, 0xFA2E, 0xFA2F, 0xFA30, 0xFA6A, 0xFA6B,
         0xFA70, 0xFAD9, 0xFADA, 0xFAFF, 0xFE0F, 0xFE10, 0xFE1F, 0xFE20, 0xFE2F, 0xFE30, 0xFE4F, 0xFE50,
         0xFEFF, 0xFF00, 0xFF0E, 0xFF61, 0xFF65, 0xFF66, 0xFFEF, 0xFFF0, 0x1FFFF, 0x20000, 0x2A6D6, 0x2A6DF,
         0x2A6E0, 0x2F7FF, 0x2F800, 0x2FA1D, 0x2FA1E, 0xE0100, 0x10FFFF]


def is_stable(character):
    """Whether Python and regex agree about the class of a character."""
    classes = [name for name in "PSN" if regex.match(rf"\p{{{name}}}", character)]
    return classes == [name for name in "PSN" if unicodedata.category(character)[0] == name]


def assigned_characters():
    """Some characters of every script, and all punctuation and symbols of the lower planes."""
    characters = [chr(code) for code in range(0x21, 0x1FBFF) if not 0xD800 <= code < 0xE000]
    known = [c for c in characters if unicodedata.category(c) not in ("Cn", "Co") and is_stable(c)]
    return [c for c in known if unicodedata.category(c)[0] in "PSN"], known


MARKS, CHARACTERS = assigned_characters()
EDGE_CHARACTERS = [chr(code) for code in EDGES if is_stable(chr(code))]


def random_word(dice):
    kind = dice.random()
    if kind < 0.80:
        return dice.choice(WORDS)
    if kind < 0.86:
        return dice.choice(WORDS) + dice.choice(WORDS)
    if kind < 0.90:
        return "".join(dice.choice(EDGE_CHARACTERS) for _ in range(dice.randint(1, 3)))
    if kind < 0.94:
        return dice.choice("a1 ") + dice.choice(MARKS) + dice.choice("a1 ")
    if kind < 0.97:
        return "".join(dice.choice(CHARACTERS) for _ in range(dice.randint(1, 2)))
    return "".join(dice.choice("0123456789.,-'&;!\"aA ") for _ in range(dice.randint(2, 6)))


def edit(words, dice, make_word):
    """A sentence similar to `words`: phrases are moved, and words dropped, doubled and changed."""
    words = list(words)
    for _ in range(dice.choice((0, 1, 1, 2, 3, 6))):
        place = dice.randrange(len(words) + 1)
        kind = dice.random()
        if kind < 0.35 and words:
            length = dice.randint(1, 4)
            phrase, words = words[place:place + length], words[:place] + words[place + length:]
            target = dice.randrange(len(words) + 1)
            words[target:target] = phrase
        elif kind < 0.6:
            words[place:place + dice.randint(1, 2)] = []
        elif kind < 0.8:
            words.insert(place, make_word(dice))
        elif place < len(words):
            words[place] = words[place].swapcase() if dice.random() < 0.4 else make_word(dice)
    return words


def join(words, dice):
    text = ""
    for word in words:
        text += word + (dice.choice(SPACES) if dice.random() < 0.04 else " ")
    if dice.random() < 0.1:
        text = dice.choice(SPACES) + text
    return text if dice.random() < 0.1 else text[:-1]


def random_pair(dice, references):
    kind = dice.random()
    if kind < 0.03:  # nothing, or almost nothing
        return [dice.choice(("", " ", "a", ".", "the cat", "\u3000")) for _ in range(references + 1)]
    if kind < 0.12:  # few different words, and much to shift
        letters = [dice.choice(WORDS) for _ in range(dice.randint(2, 3))]
        make_word, length = lambda dice: dice.choice(letters), dice.randint(4, 16)
    elif kind < 0.124:  # beyond the limits of shifts and beam
        letters = WORDS[:dice.choice((2, 3, 10, 60))]
        make_word, length = lambda dice: dice.choice(letters), dice.choice((45, 70, 110))
    else:
        make_word, length = random_word, dice.choice((1, 2, 2, 3, 3, 4, 5, 7))
    words = [make_word(dice) for _ in range(length)]
    pair = [words]
    for _ in range(references):
        pair.append(edit(words, dice, make_word) if dice.random() < 0.9 else [make_word(dice)])
    if dice.random() < 0.5:
        pair.reverse()
    return [join(words, dice) for words in pair]


def statistics_of(pairs):
    """Rows of statistics by name."""
    hypotheses = [pair[0] for pair in pairs]
    streams = [list(stream) for stream in zip(*(pair[1:] for pair in pairs))]
    return {name: metric._extract_corpus_statistics(hypotheses, streams) for name, metric in STATISTICS.items()}


def describe(rows, pair):
    return ";".join(name + ":" + " ".join(f"{value:.3f}" for value in rows[name][pair]) for name in STATISTICS)


def scores_of(rows):
    corpus, sentences = [], []
    for name, metric in SCORES.items():
        own = rows[name.split(":")[0]]
        corpus.append(metric._aggregate_and_compute(own).score)
        singles = [metric._aggregate_and_compute([row]).score for row in own]
        sentences.append(sum(singles) / len(singles))
    return [[float(f"{score:.11g}") for score in scores] for scores in (corpus, sentences)]


def block_pairs(block):
    dice = random.Random(f"phraseq {block}")
    references = dice.choice((1, 1, 1, 1, 1, 2, 3))
    return [random_pair(dice, references) for _ in range(PAIRS)]


def make_block(block):
    pairs = block_pairs(block)
    rows = statistics_of(pairs)
    corpus, sentences = scores_of(rows)
    checksums = "".join(f"{zlib.crc32(describe(rows, pair).encode()) & 0xFFFF:04x}" for pair in range(PAIRS))
    return {"pairs": pairs, "checksums": checksums, "corpus": corpus, "sentences": sentences}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("output", nargs="?")
    parser.add_argument("--explain", nargs=2, type=int, metavar=("BLOCK", "PAIR"))
    parser.add_argument("--blocks", type=int, default=BLOCKS)
    parser.add_argument("--first", type=int, default=0, help="another range of blocks is another set of pairs")
    options = parser.parse_args()
    if options.explain:
        block, pair = options.explain
        print(describe(statistics_of(block_pairs(block)), pair))
        return
    lines = (json.dumps(make_block(block), ensure_ascii=False, separators=(",", ":"))
             for block in range(options.first, options.first + options.blocks))
    with open(options.output, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write("".join(line + "\n" for line in lines).encode())


if __name__ == "__main__":
    main()
