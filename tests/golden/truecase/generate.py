#!/usr/bin/env python3
"""Writes artificial tokenized lines with the results of sacremoses 0.2.0's truecaser.

Run:  pip install sacremoses==0.2.0 && python generate.py      (made with Python 3.11)

learn.txt and model.txt: text, and the model that sacremoses learns from it. lines.tsv: a line, truecased, truecased with
use_known, detruecased.
"""
import random

from sacremoses import MosesDetruecaser, MosesTruecaser

WORDS = ("the The THE house House apple Apple iPhone IPHONE nato NATO über Über straße STRASSE élan Élan ΣΟΦΟΣ σοφος Σοφος "
         "привет Привет ПРИВЕТ ǆ ǅ Ǆ ﬁn İstanbul istanbul 中文 42 3rd x-ray X-Ray o'neil O'Neil &apos;s &amp; @-@ ok OK").split()
MARKS = ". : ? ! , ; ( ) [ ] \" ' &apos; &quot; &#91; &#93; - ... .".split()
ODD = ["<b>", "</b>", "<i", "a>", "<a href=x>", "x<y", "a<b>c", "<>", "< b", "<>>", "word|NN", "The|DT|x", "|", "|x", "The|<b>|NN", "||", "<x>|y"]


def line(random, odd):
    tokens = []
    for _ in range(random.randrange(0, 14)):
        kind = random.random()
        tokens.append(random.choice(ODD if kind < odd else MARKS if kind < 0.3 else WORDS))
    return " ".join(tokens)


random.seed(3)
learn = [line(random, 0.04) for _ in range(500)]
open("learn.txt", "w").write("".join(text + "\n" for text in learn))
truecaser = MosesTruecaser()
truecaser.train([text.split() for text in learn], save_to="model.txt")
truecaser, detruecaser = MosesTruecaser("model.txt"), MosesDetruecaser()
with open("lines.tsv", "w") as file:
    for _ in range(400):
        text = line(random, 0.08)
        results = [truecaser.truecase(text, return_str=True), truecaser.truecase(text, return_str=True, use_known=True),
                   detruecaser.detruecase(text, return_str=True)]
        file.write("\t".join([text] + results) + "\n")
