#!/usr/bin/env python3
"""Golden values of Algorithm 1 (Xu et al. 2020), the phrases of a parse tree.

Written from the algorithm in the paper, with a tree that is actually cut, and without looking at the
C++. The file contains no trees, only line numbers, sizes and the lengths of phrases.

    PHRASEQ_DATA=/path/to/data ./generate.py > golden.json

The number of subwords of a word is artificial: the sum of its code points modulo 5, so that both leaves
without a subword and leaves longer than n occur. n follows footnote 2, max(min(8, ceil(seql / 6)), 3),
where seql includes </s>; every third tree has n = 1 + line mod 8 instead, which covers limit cases.
"""
import gzip
import json
import os
import re
import sys

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
SOURCES = [("trees/gum/train.trees.gz", 7, 500), ("trees/link-grammar/multi30k-train-first200.trees", 2, 100)]


class Node:
    def __init__(self, depth):
        self.depth = depth
        self.children = []  # nodes of a bracket
        self.word = None  # of a leaf
        self.subwords = 0

    def tokens(self):
        return self.subwords if self.word is not None else sum(c.tokens() for c in self.children)

    def leaves(self):
        return [self] if self.word is not None else [l for c in self.children for l in c.leaves()]


def parse(text):
    """A bracket with exactly one word is a leaf; any other bare word is a leaf one level below."""
    tokens = re.findall(r"[()]|[^() \t\n]+", text)

    def bracket(at, depth):
        node = Node(depth)
        at += 1
        if tokens[at] not in "()":
            at += 1  # the label
        items = []
        while tokens[at] != ")":
            if tokens[at] == "(":
                child, at = bracket(at, depth + 1)
                items.append(child)
            else:
                items.append(tokens[at])
                at += 1
        words = [BRACKETS.get(i, i) if isinstance(i, str) else i for i in items]
        if len(words) == 1 and isinstance(words[0], str):
            node.word = words[0]
            return node, at + 1
        for item in words:
            if isinstance(item, str):
                leaf = Node(depth + 1)
                leaf.word = item
                item = leaf
            node.children.append(item)
        return node, at + 1

    root, end = bracket(0, 0)
    assert end == len(tokens), text
    return root


def remove(root, node):
    """Cuts the node out, and nodes that have no children left. Returns the root or None."""
    if root is node:
        return None
    if root.word is not None:
        return root
    root.children = [kept for kept in (remove(c, node) for c in root.children) if kept is not None]
    return root if root.children else None


def right_path(root):
    path = [root]
    while path[-1].word is None:
        path.append(path[-1].children[-1])
    return path


def phrases(root, n, bounded, split):
    result = []
    while root is not None:
        candidates = [node for node in right_path(root) if node.tokens() < n]
        if not candidates:
            leaf = right_path(root)[-1]
            size = leaf.tokens()
            root = remove(root, leaf)
            pieces = [size]
            if split:
                pieces = [n] * (size // n) + ([size % n] if size % n else [])
            result.extend(reversed(pieces))
            continue
        most = max(node.tokens() for node in candidates)
        seed = min((node for node in candidates if node.tokens() == most), key=lambda node: node.depth)
        p = most
        wanted_depth = seed.depth
        root = remove(root, seed)
        mt = n - most if bounded else n
        while mt > 0 and root is not None:
            at_depth = [node for node in right_path(root) if node.depth == wanted_depth]
            if not at_depth or at_depth[0].tokens() > mt:
                break
            p += at_depth[0].tokens()
            mt -= at_depth[0].tokens()
            root = remove(root, at_depth[0])
        result.append(p)
    return result[::-1]


def with_subwords(text, subwords):
    root = parse(text)
    for leaf in root.leaves():
        leaf.subwords = subwords(leaf.word)
    for leaf in root.leaves():
        if leaf.subwords == 0 and root is not None:
            root = remove(root, leaf)
    return root


def made_up_subwords(word):
    return sum(ord(c) for c in word) % 5


def check_worked_examples():
    """Four examples worked out by hand."""
    def lengths(text, n, bounded=False):
        return phrases(with_subwords(text, lambda word: 4 if word == "Donaudampfer" else 1), n, bounded, False)

    one = "(S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))))"
    two = "(S (NP (DT the) (JJ old) (NN man)) (VP (VBZ eats) (NP (DT a) (JJ red) (NN apple))))"
    three = "(S (NP (DT the) (JJ big) (NN dog)) (VP (VBZ barks)))"
    four = "(S (NP (NNP Donaudampfer)) (VP (VBZ legt) (RP ab)))"
    assert lengths(one, 3) == lengths(one, 3, True) == [3, 3]
    assert lengths(two, 4) == [7] and lengths(two, 4, True) == [3, 4]
    assert lengths(three, 3) == [4] and lengths(three, 3, True) == [3, 1]
    assert lengths(four, 3) == [4, 2]


def main():
    check_worked_examples()
    cases = []
    for source, step, limit in SOURCES:
        path = os.path.join(os.environ["PHRASEQ_DATA"], source)
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if number % step or number // step > limit or not line.strip():
                    continue
                tree = with_subwords(line, made_up_subwords)
                total = tree.tokens() if tree else 0
                n = max(min(8, -(-(total + 1) // 6)), 3)
                if number % 3 == 0:
                    n = 1 + number % 8
                case = {"file": source, "line": number, "words": len(parse(line).leaves()), "subwords": total, "n": n}
                for bounded in (False, True):
                    for split in (False, True):
                        name = ("bounded" if bounded else "literal") + ("_split" if split else "")
                        case[name] = phrases(with_subwords(line, made_up_subwords), n, bounded, split)
                cases.append(case)
    rows = ",\n".join(json.dumps(case) for case in cases)
    sys.stdout.write('{"python": "%s", "cases": [\n%s\n]}\n' % (sys.version.split()[0], rows))


if __name__ == "__main__":
    main()
