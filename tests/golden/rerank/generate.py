"""Scores of fairseq 0.12.2's noisy-channel reranking: rerank_utils.get_score for artificial hypotheses.

Run:  python3 generate.py > golden.json      (made with Python 3.11, fairseq 0.12.2)
"""
import json
import random
import sys
import types

for name in ("fairseq_cli.eval_lm", "fairseq_cli.preprocess"):  # rerank_utils imports the commands, which are not needed
    sys.modules.setdefault(name, types.ModuleType(name.split(".")[-1]))
from fairseq.examples.noisychannel.rerank_utils import get_score  # noqa: E402

random.seed(2)
cases = []
for number in range(40):
    case = dict(a=random.uniform(-1, 3), b=random.uniform(-1, 3), c=random.uniform(-1, 3), lenpen=random.uniform(-1, 3),
                words=random.randrange(1, 20), forward=random.uniform(-40, 0), channel=random.uniform(-40, 0),
                language=random.uniform(-60, 0), source_tokens=random.randrange(1, 30),
                target_tokens=random.randrange(1, 30), normalize=number % 2 == 1)
    case["score"] = get_score(case["a"], case["b"], case["c"], case["words"], case["forward"], case["channel"],
                              lm_score=case["language"], lenpen=case["lenpen"], src_len=case["source_tokens"],
                              tgt_len=case["target_tokens"], bitext2_backwards=True, normalize=case["normalize"])
    cases.append(case)
print("[" + ",\n ".join(json.dumps(case) for case in cases) + "]")
