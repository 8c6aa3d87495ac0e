#!/usr/bin/env python3
"""Draws the six models as in their papers, and the simulated scaling, as NAME.svg in this folder or in the given one.

    docs/diagrams/draw.py [FOLDER]

The pages in docs/papers and docs/guide show the pictures. The test Diagrams fails if a picture differs from the output.
"""
import sys
from pathlib import Path

from drawing import Drawing
from scaling_curve import scaling

ADD_NORM = ("add, layer norm", "norm")


def transformer():
    d = Drawing(760, 620, "Transformer (Vaswani et al. 2017, figure 1)")
    d.frame(60, 210, 250, 290, "encoder × N")
    d.frame(430, 100, 270, 400, "decoder × N")
    enc = d.stack(100, 480, 180, [("multi-head\nself-attention", "attention"), ADD_NORM,
                                  ("feed-forward", "network"), ADD_NORM])
    d.around(enc[0], enc[1])
    d.around(enc[2], enc[3])
    dec = d.stack(480, 480, 180, [("masked multi-head\nself-attention", "attention"), ADD_NORM,
                                  ("multi-head\ncross-attention", "attention"), ADD_NORM,
                                  ("feed-forward", "network"), ADD_NORM])
    for first, second in ((0, 1), (2, 3), (4, 5)):
        d.around(dec[first], dec[second], side=1)
    for x, text, above in ((100, "source tokens", enc[0]), (480, "target tokens,\nshifted by one", dec[0])):
        embedding = d.box(x, 530, 180, "embedding + position", "plain")
        d.arrow(embedding.top, above.bottom)
        d.text(x + 90, 594, text, "note")
    out = d.stack(480, 82, 180, [("linear, softmax", "output")])
    d.arrow(dec[5].top, out[0].bottom)
    d.arrow(out[0].top, (570, 26))
    d.text(570, 14, "next token", "note")
    x, y = enc[3].top
    d.arrow((x, y), (x, 182), (390, 182), (390, dec[2].left[1]), dec[2].left)
    d.text(290, 168, "keys and values", "note")
    return d


def rnnsearch():
    d = Drawing(860, 600, "RNNsearch with coverage (Bahdanau et al. 2015; Tu et al. 2016)")
    states = []
    for number, name in enumerate(("x₁", "x₂", "…", "x_T")):
        x = 50 + number * 105
        backward = d.box(x, 400, 80, "← GRU", "network")
        forward = d.box(x, 460, 80, "GRU →", "network")
        if states:
            d.arrow(states[-1][1].right, forward.left)
            d.arrow(backward.left, states[-1][0].right)
        states.append((backward, forward))
        d.text(x + 40, 560, name, "note")
        d.arrow((x + 40, 548), forward.bottom)
        d.line(forward.top, backward.bottom, kind="dashed")
    d.frame(30, 380, 440, 130, "")
    d.text(250, 584, "bidirectional encoder: h_j = [forward ; backward]", "note")
    attention = d.box(70, 250, 380, "attention: α_tj = softmax over j of\nv·tanh(U h_j + W s_t−1 + V e + Z C_t−1,j)",
                      "attention")
    for backward, _ in states:
        d.arrow(backward.top, (backward.top[0], attention.y + attention.h))
    coverage = d.box(110, 130, 300, "coverage GRU, one per source position\nC_t,j from C_t−1,j, α_tj, h_j, s_t−1", "phrase")
    d.arrow(attention.at(0.25, 0), coverage.at(0.183, 1))
    d.arrow(coverage.at(0.8, 1), attention.at(0.737, 0))
    d.text(142, 215, "α_t", "note")
    d.text(385, 215, "C_t−1", "note")
    context = d.box(500, 250, 150, "context\nc_t = Σ α_tj h_j", "plain")
    d.arrow(attention.right, context.left)
    before = d.box(560, 410, 90, "s_t−1", "network")
    after = d.box(730, 250, 90, "GRU\ns_t", "network")
    d.arrow(context.right, after.left)
    d.arrow(before.right, (760, before.right[1]), (760, after.y + after.h))
    d.arrow(before.left, (520, before.left[1]), (520, 330), (438, 330), (438, attention.y + attention.h),
            kind="dashed")
    embedding = d.box(560, 490, 180, "embedding e of y_t−1", "plain")
    d.arrow(embedding.right, (795, embedding.right[1]), (795, after.y + after.h))
    d.text(650, 560, "previous target word", "note")
    d.arrow((650, 548), embedding.bottom)
    readout = d.box(540, 110, 280, "readout: softmax of\nW tanh(U s_t + C c_t + V e)", "output")
    d.arrow(after.top, (after.top[0], readout.y + readout.h))
    d.arrow(context.top, (context.top[0], readout.y + readout.h))
    d.arrow(readout.top, (680, 60))
    d.text(680, 44, "y_t", "note")
    return d


def phrase_rep():
    d = Drawing(1040, 700, "Source phrase representations (Xu et al. 2020)")
    d.text(170, 24, "phrase vectors of one level", "title")
    tokens = []
    for number in range(6):
        tokens.append(d.box(24 + number * 49, 560, 42, f"t{'₁₂₃₄₅₆'[number]}", "plain"))
    d.text(168, 622, "token vectors: embeddings (level 0)\nor output of encoder layer k (level k)", "note")
    phrases = []
    for number, x in enumerate((24, 171)):
        glance = d.box(x, 470, 140, "max or mean: r", "phrase")
        score = d.box(x, 370, 140, "score of token i:\nW₂σ(W₁[t_i ; r])", "network")
        weight = d.box(x, 300, 140, "softmax: p", "attention")
        phrase = d.box(x, 200, 140, "phrase vector\nR = Σ p_i t_i", "phrase")
        for token in tokens[3 * number:3 * number + 3]:
            d.arrow(token.top, (token.top[0], glance.y + glance.h))
        d.arrow(glance.top, score.bottom)
        d.arrow(score.top, weight.bottom)
        d.arrow(weight.top, phrase.bottom)
        phrases.append(phrase)
    d.text(222, 146, "n tokens per phrase,\nn = max(min(8, length / 6), 3)", "note")

    d.frame(350, 120, 300, 450, "encoder layer k × N")
    d.text(500, 24, "encoder", "title")
    enc = d.stack(410, 550, 200, [("attention of tokens\nover phrases", "phrase"),
                                  ("W₄σ(W₃[x ; o])", "phrase"), ADD_NORM,
                                  ("self-attention", "attention"), ADD_NORM,
                                  ("feed-forward", "network"), ADD_NORM], gap=16)
    d.around(enc[0], enc[2])
    d.around(enc[3], enc[4])
    d.around(enc[5], enc[6])
    embedding = d.box(410, 600, 200, "embedding + position", "plain")
    d.arrow(embedding.top, enc[0].bottom)
    d.text(510, 660, "source tokens", "note")
    d.arrow(phrases[1].right, (332, phrases[1].right[1]), (332, enc[0].left[1]), enc[0].left)
    d.text(300, 660, "R of level k − 1 goes to layer k", "note")

    d.frame(720, 30, 300, 540, "decoder layer j × N")
    d.text(868, 14, "decoder", "title")
    dec = d.stack(780, 550, 200, [("masked\nself-attention", "attention"), ADD_NORM,
                                  ("attention of tokens\nover phrases", "phrase"),
                                  ("W₄σ(W₃[x ; o])", "phrase"), ADD_NORM,
                                  ("cross-attention", "attention"), ADD_NORM,
                                  ("feed-forward", "network"), ADD_NORM], gap=14)
    for first, second in ((0, 1), (2, 4), (5, 6), (7, 8)):
        d.around(dec[first], dec[second], side=1)
    embedding = d.box(780, 600, 200, "embedding + position", "plain")
    d.arrow(embedding.top, dec[0].bottom)
    d.text(880, 660, "target tokens, shifted by one", "note")
    transparent = d.box(400, 44, 220, "transparent attention:\nΣ over levels i of w_ij R_i", "phrase")
    d.arrow(phrases[0].top, (phrases[0].top[0], transparent.left[1]), transparent.left)
    d.text(200, 52, "R of all levels 0 … N", "note")
    d.arrow(transparent.right, (676, transparent.right[1]), (676, dec[2].left[1]), dec[2].left)
    x, y = enc[6].top
    d.arrow((x, y), (x, 104), (700, 104), (700, dec[5].left[1]), dec[5].left)
    return d


def phrasal_attention():
    d = Drawing(1060, 610, "Phrasal attention (Nguyen & Joty 2018)")
    keys = [("k₁", "plain"), ("k₂", "plain"), ("k₃", "plain"), ("k₁k₂", "phrase"), ("k₂k₃", "phrase")]

    def columns(x, y, entries, w=50):
        return [d.box(x + n * (w + 4), y, w, text, kind) for n, (text, kind) in enumerate(entries)]

    d.frame(20, 40, 300, 545, "homogeneous: one n per head")
    for y, text, entries in ((390, "heads with n = 1", keys[:3]),
                             (140, "heads with n = 2", [("·k₁", "phrase"), ("k₁k₂", "phrase"), ("k₂k₃", "phrase")])):
        row = columns(90, y + 100, entries)
        softmax = d.box(90, y + 36, 158, "softmax", "attention")
        for box in row:
            d.arrow(box.top, (box.top[0], softmax.y + softmax.h))
        d.text(170, y + 152, text, "note")
    concat = d.box(60, 84, 220, "concatenate heads, W_o", "network")
    d.arrow((170, 176), concat.bottom)
    d.line((248, 442), (298, 442), (298, 130), (252, 130))
    d.arrow((252, 130), (252, 116))

    d.frame(340, 40, 320, 545, "heterogeneous: all n in every head")
    row = columns(362, 420, keys)
    softmax = d.box(362, 310, 266, "one softmax over\nall unigrams and bigrams", "attention")
    for box in row:
        d.arrow(box.top, (box.top[0], softmax.y + softmax.h))
    d.text(495, 476, "unigrams and bigrams\nof the same keys", "note")
    values = d.box(362, 210, 266, "weighted sum of the values", "plain")
    d.arrow(softmax.top, values.bottom)
    concat = d.box(362, 84, 266, "concatenate heads, W_o", "network")
    d.arrow(values.top, concat.bottom)
    query = d.box(362, 520, 266, "query q_i: unigram", "plain")
    d.arrow(query.left, (351, query.left[1]), (351, softmax.left[1]), softmax.left, kind="dashed")
    d.text(495, 570, "CONVKV: keys are convolutions of window n", "note")

    d.frame(680, 40, 360, 545, "interleaved: bigrams are also queries")
    uni = d.box(704, 520, 150, "queries q_i", "plain")
    bi = d.box(866, 520, 150, "queries q_i q_i+1", "phrase")
    row = columns(726, 430, keys)
    first = d.box(704, 310, 150, "softmax: token to\ntoken and phrase", "attention")
    second = d.box(866, 310, 150, "softmax: phrase to\ntoken and phrase", "attention")
    for box in row:
        d.line(box.top, (box.top[0], 404))
    d.line((row[0].top[0], 404), (row[-1].top[0], 404))
    d.arrow((779, 404), (779, first.y + first.h))
    d.arrow((941, 404), (941, second.y + second.h))
    d.arrow((714, 520), (714, first.y + first.h), kind="dashed")
    d.arrow((1006, 520), (1006, second.y + second.h), kind="dashed")
    interleave = d.box(704, 200, 312, "interleave: 0, u₁, b₁, u₂, b₂, …, u_N, 0", "phrase")
    d.arrow(first.top, (first.top[0], interleave.y + interleave.h))
    d.arrow(second.top, (second.top[0], interleave.y + interleave.h))
    d.text(740, 270, "u_i", "note")
    d.text(980, 270, "b_i", "note")
    convolution = d.box(704, 84, 312, "convolution with stride 2, window 3\n(decoder: window 2), in place of W_o", "network")
    d.arrow(interleave.top, convolution.bottom)
    d.text(530, 20, "One attention module. All self-attentions and cross-attentions of the Transformer are replaced.", "note")
    return d


def phrase_transformer():
    d = Drawing(900, 640, "PhraseTransformer (Nguyen & Nguyen 2022)")
    d.frame(40, 60, 560, 500, "self-attention of an encoder layer, all heads")
    q = d.box(90, 500, 130, "q = x W_q", "network")
    k = d.box(250, 500, 130, "k = x W_k", "network")
    v = d.box(440, 500, 130, "v = x W_v", "network")
    for box in (q, k, v):
        d.arrow((box.bottom[0], 584), box.bottom)
    d.line((155, 584), (505, 584))
    d.text(320, 606, "x: token vectors of the layer's input", "note")
    pairs = d.box(90, 420, 290, "zip: s_t = [q_t ; k_t]", "plain")
    d.arrow(q.top, (155, 452))
    d.arrow(k.top, (315, 452))
    lstm = d.box(90, 320, 290, "bidirectional LSTM over s_t−m+1 … s_t,\none per gram size m", "phrase")
    d.arrow(pairs.top, lstm.bottom)
    parts = d.box(90, 240, 290, "unzip: phrase queries, phrase keys", "phrase")
    d.arrow(lstm.top, parts.bottom)
    joined = d.box(90, 140, 290, "q' = [q ; q_m1 ; q_m2 …]\nk' = [k ; k_m1 ; k_m2 …]", "plain")
    d.arrow(parts.top, joined.bottom)
    d.arrow((90, 436), (66, 436), (66, 164), (90, 164), kind="dashed")
    d.text(178, 222, "sizes m1, m2, …", "note")
    softmax = d.box(410, 148.5, 160, "softmax(q'·k') v", "attention")
    d.arrow(joined.right, softmax.left)
    d.arrow(v.top, (505, 180.5))
    heads = d.box(410, 84, 160, "all heads, W_o", "network")
    d.arrow(softmax.top, heads.bottom)

    d.text(740, 30, "encoder layer × N", "title")
    enc = d.stack(650, 480, 190, [("self-attention\nwith phrases", "phrase"), ADD_NORM,
                                  ("feed-forward", "network"), ADD_NORM], gap=28)
    d.around(enc[0], enc[1], side=1)
    d.around(enc[2], enc[3], side=1)
    d.line((600, 120), (650, enc[0].y), kind="dashed")
    d.line((600, 540), (650, enc[0].y + enc[0].h), kind="dashed")
    embedding = d.box(650, 540, 190, "embedding + position", "plain")
    d.arrow(embedding.top, enc[0].bottom)
    d.text(745, 600, "source tokens", "note")
    d.arrow(enc[3].top, (745, 120))
    d.text(745, 84, "the decoder is that\nof the Transformer", "note")
    return d


def phrasenet():
    d = Drawing(1060, 680, "phraseNet, gate variant (Tang et al. 2016)")
    d.frame(30, 480, 480, 150, "")
    words = []
    for number, name in enumerate(("x₁", "x₂", "x₃", "x₄", "x₅")):
        box = d.box(50 + number * 90, 560, 76, f"h{'₁₂₃₄₅'[number]}", "network")
        words.append(box)
        d.text(box.bottom[0], 618, name, "note")
    tags = []
    for box, text in zip(words, ("0", "slot 1", "slot 1", "0", "slot 2")):
        tag = d.box(box.x, 500, 76, text, "phrase" if "slot" in text else "plain")
        tags.append(tag)
        d.line(tag.bottom, box.top)
    d.text(270, 650, "bidirectional encoder of RNNsearch, with tags:\nthe phrase of the memory that covers the word", "note")
    memory = d.box(600, 500, 430, "phrase memory of the sentence\nslot 1: x₂ x₃ → target phrase, slot 2: x₅ → target phrase",
                   "phrase")
    table = d.box(600, 600, 430, "phrase table; rules for numbers, dates and names", "plain")
    d.arrow(table.top, memory.bottom)
    d.arrow(memory.left, (tags[-1].x + tags[-1].w, memory.left[1]))
    attention = d.box(60, 370, 420, "attention with coverage over [h_j ; tag_j]", "attention")
    for tag in tags:
        d.arrow(tag.top, (tag.top[0], attention.y + attention.h))
    state = d.box(190, 270, 160, "c_t, s_t, e(y_t−1)", "network")
    d.arrow(attention.top, state.bottom)
    words_box = d.box(60, 150, 250, "word classifier\np_word(w)", "output")
    gate = d.box(370, 150, 250, "gate: noisy tanh × 2, sigmoid\ng = p(phrase mode)", "attention")
    slots = d.box(680, 150, 350, "phrase classifier\np_phrase(slot), only slots that are present", "phrase")
    d.line(state.top, (270, 230))
    d.line((185, 230), (855, 230))
    for box in (words_box, gate, slots):
        d.arrow((box.bottom[0], 230), box.bottom)
    d.arrow((960, memory.y), (960, slots.y + slots.h))
    mixture = d.box(220, 60, 620, "(1 − g) p_word(w) for each word,  g p_phrase(k) for each phrase of the memory", "output")
    d.arrow(words_box.top, (words_box.top[0], 76), mixture.left)
    d.arrow(gate.top, (gate.top[0], mixture.y + mixture.h))
    d.arrow(slots.top, (slots.top[0], 76), mixture.right)
    d.arrow(mixture.top, (530, 34))
    d.text(530, 20, "next word, or all words of a phrase", "note")
    d.text(740, 300, "Phrase mode emits the words of the target phrase one by one\n"
                     "while the decoder runs on; then the slot's tags become 0.", "note")
    d.text(740, 372, "Softmax variant: one softmax over words and phrases;\n"
                     "a backward GRU encodes each target phrase.", "note")
    return d


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for picture in (transformer, rnnsearch, phrase_rep, phrasal_attention, phrase_transformer, phrasenet, scaling):
        (folder / f"{picture.__name__}.svg").write_text(picture().svg(), encoding="utf-8")


main()
