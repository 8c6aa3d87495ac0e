"""Golden values of R-Drop (Liang et al. 2021), computed independently of phraseq in double precision.

Written from fairseq 0.12's published definition (fairseq/criterions/label_smoothed_cross_entropy_with_rdrop.py:
compute_loss and compute_kl_loss), with PyTorch's operators and automatic differentiation. One difference: fairseq's
nll_loss is the sum of both passes; `nll` here is the mean, so that the perplexity is that of one pass.
Run:  python3 generate.py > golden.json        (made with Python 3.11, PyTorch 2)

golden.json: a list of cases
  alpha, epsilon, kernel    options; kernel: the smoothing of fairseq 0.10 ("fairseq") or 0.12 ("fairseq-0.12")
  offsets, targets, prefix  sentences, expected tokens, tokens of each sentence without a loss
  first, second             [rows, model] hidden states of both passes
  weight, bias, forbidden   [vocab, model], [vocab] or null, ids that are out of the softmax
  loss, nll, kl             sums over rows; kl = (KL(p||q) + KL(q||p)) / 2
  d_first, d_second, d_weight, d_bias   derivatives of the loss
"""
import json
import sys

import torch
import torch.nn.functional as F

VOCABULARY, MODEL = 7, 3


def made_up(rows, columns, factor):
    numbers = torch.arange(1, rows * columns + 1, dtype=torch.float64)
    return torch.sin(numbers * factor).mul(1.3).view(rows, columns)


def log_probabilities(hidden, weight, bias, forbidden):
    logits = hidden @ weight.t()
    if bias is not None:
        logits = logits + bias
    allowed = [i for i in range(VOCABULARY) if i not in forbidden]
    log_p = F.log_softmax(logits[:, allowed], dim=-1)
    return log_p, allowed


def smoothed(log_p, columns, epsilon, kernel):
    """label_smoothed_nll_loss: fairseq 0.12 smooths over the other classes, 0.10 over all."""
    nll = -log_p.gather(1, columns.unsqueeze(1)).sum()
    smooth = -log_p.sum()
    if kernel == "fairseq-0.12":
        eps_i = epsilon / (VOCABULARY - 1)
        return (1.0 - epsilon - eps_i) * nll + eps_i * smooth, nll
    return (1.0 - epsilon) * nll + epsilon / VOCABULARY * smooth, nll


def case(alpha, epsilon, kernel, with_bias=False, forbidden=(), prefix=0):
    offsets = [0, 3, 4, 8]
    targets = torch.tensor([4, 5, 2, 2, 6, 4, 3, 2])
    rows = [r for b, e in zip(offsets, offsets[1:]) for r in range(b + min(prefix, e - b), e)]
    first = made_up(8, MODEL, 0.37).requires_grad_()
    second = made_up(8, MODEL, 0.41).requires_grad_()
    weight = made_up(VOCABULARY, MODEL, 0.61).requires_grad_()
    bias = made_up(1, VOCABULARY, 0.23).view(-1).requires_grad_() if with_bias else None
    losses = []
    for hidden in (first, second):
        log_p, allowed = log_probabilities(hidden[rows], weight, bias, forbidden)
        columns = torch.tensor([allowed.index(t) for t in targets[rows].tolist()])
        losses.append((log_p, *smoothed(log_p, columns, epsilon, kernel)))
    (log_p, loss_p, nll_p), (log_q, loss_q, nll_q) = losses
    kl = (F.kl_div(log_p, log_q.exp(), reduction="sum") + F.kl_div(log_q, log_p.exp(), reduction="sum")) / 2
    loss = loss_p + loss_q + alpha * kl
    loss.backward()
    return {"alpha": alpha, "epsilon": epsilon, "kernel": kernel, "offsets": offsets, "targets": targets.tolist(),
            "prefix": prefix, "first": first.tolist(), "second": second.tolist(), "weight": weight.tolist(),
            "bias": bias.tolist() if with_bias else None, "forbidden": list(forbidden), "loss": loss.item(),
            "nll": ((nll_p + nll_q) / 2).item(), "kl": kl.item(), "d_first": first.grad.tolist(),
            "d_second": second.grad.tolist(), "d_weight": weight.grad.tolist(),
            "d_bias": bias.grad.tolist() if with_bias else None}


cases = [case(5.0, 0.1, "fairseq"), case(0.5, 0.0, "fairseq", with_bias=True),
         case(5.0, 0.1, "fairseq-0.12", with_bias=True), case(1.5, 0.2, "fairseq", prefix=1),
         case(2.0, 0.0, "fairseq", with_bias=True, forbidden=(0, 1))]
sys.stdout.write("[" + ",\n ".join(json.dumps(c) for c in cases) + "]\n")
