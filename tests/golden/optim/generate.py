"""Golden values of optimizers and learning-rate schedules, computed by fairseq 0.12.2's own classes.

The files fairseq/optim/{nag,adamax,adafactor}.py and fairseq/optim/lr_scheduler/*.py are executed with stubs in place of
fairseq's configuration modules. Their conversions of gradients to single precision are removed, so that everything is
computed in double precision. Every parameter is a group of its own: fairseq's Adafactor writes the scaled learning rate
back to the group, so --scale-parameter without --relative-step would multiply the scales of all parameters of a group,
unlike in the paper. Adagrad is torch.optim.Adagrad, which fairseq uses.
Run:  python3 generate.py FOLDER > golden.json   (FOLDER: the unpacked source of fairseq 0.12.2; Python 3.11, PyTorch 2)

golden.json:
  optimizers   a list of cases: name, options, steps = a list of {rate, parameters}; every parameter is a flat list.
               Shapes, first values and gradients are those of `start` and `gradient` below.
  schedules    a list of cases: name, options, lr, max_update, larger_is_better, epochs = a list of {value (null: not
               validated), rates}: the rates of each update, and the value of validation at the end of the epoch.
"""
import json
import sys
import types
from pathlib import Path

import torch

SHAPES = [(3, 5), (7,), (2, 3, 4), (1,)]
RATES = [0.02, 0.05, 0.05, 0.01, 0.0, 0.03]


def start(part, shape):
    numbers = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.float64)
    return torch.sin(numbers * (0.7 + part)).view(shape)


def gradient(part, step, shape):
    numbers = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(numbers * (1.1 + step) + part).mul(0.5 + step).view(shape)


def load(folder, name):
    """The names that a file of fairseq defines."""
    for module in ["fairseq", "fairseq.optim", "fairseq.dataclass", "fairseq.optim.lr_scheduler", "omegaconf"]:
        sys.modules[module] = types.ModuleType(module)
    same = lambda *args, **kwargs: lambda cls: cls
    base = type("Base", (), {"__init__": lambda self, cfg, optimizer: setattr(self, "cfg", cfg) or
                             setattr(self, "optimizer", optimizer), "step": lambda self, epoch, value: None})
    package = {"FairseqOptimizer": object, "LegacyFairseqOptimizer": object, "register_optimizer": same,
               "FairseqLRScheduler": base, "register_lr_scheduler": same, "FairseqDataclass": object,
               "II": lambda name: None, "DictConfig": dict}
    for module in ["fairseq.optim", "fairseq.dataclass", "fairseq.optim.lr_scheduler", "omegaconf"]:
        vars(sys.modules[module]).update(package)
    text = (Path(folder) / "fairseq/optim" / name).read_text()
    text = text.replace(".float()", "").replace("from . import", "from fairseq.optim import")
    # Newer versions of PyTorch lack `required` of torch.optim.optimizer.
    text = text.replace("from torch.optim.optimizer import Optimizer, required",
                        "from torch.optim.optimizer import Optimizer\nrequired = None")
    module = types.ModuleType("golden_" + Path(name).stem)
    sys.modules[module.__name__] = module
    exec(compile(text, name, "exec"), vars(module))
    return module


def optimizer_case(name, options, make):
    parameters = [torch.nn.Parameter(start(i, s)) for i, s in enumerate(SHAPES)]
    optimizer = make([{"params": [p]} for p in parameters])
    steps = []
    for step, rate in enumerate(RATES):
        for i, (p, shape) in enumerate(zip(parameters, SHAPES)):
            p.grad = gradient(i, step, shape)
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.no_grad():
            optimizer.step()
        steps.append({"rate": rate, "parameters": [p.detach().flatten().tolist() for p in parameters]})
    return {"name": name, "options": options, "steps": steps}


def optimizers(folder):
    nag = load(folder, "nag.py").NAG
    adamax = load(folder, "adamax.py").Adamax
    adafactor = load(folder, "adafactor.py").Adafactor
    first = RATES[0]
    yield optimizer_case("nag", {}, lambda p: nag(p, lr=first, momentum=0.99))
    yield optimizer_case("nag", {"momentum": 0.8, "weight_decay": 0.1},
                         lambda p: nag(p, lr=first, momentum=0.8, weight_decay=0.1))
    yield optimizer_case("adagrad", {}, lambda p: torch.optim.Adagrad(p, lr=first))
    yield optimizer_case("adagrad", {"weight_decay": 0.1},
                         lambda p: torch.optim.Adagrad(p, lr=first, weight_decay=0.1))
    yield optimizer_case("adamax", {}, lambda p: adamax(p, lr=first))
    yield optimizer_case(
        "adamax", {"adamax_betas": [0.8, 0.95], "adamax_eps": 0.01, "weight_decay": 0.1, "no_bias_correction": True},
        lambda p: adamax(p, lr=first, betas=(0.8, 0.95), eps=0.01, weight_decay=0.1, bias_correction=False))
    plain = dict(lr=first, scale_parameter=False, relative_step=False)
    yield optimizer_case("adafactor", {}, lambda p: adafactor(p, **plain))
    yield optimizer_case("adafactor", {"beta1": 0.9, "weight_decay": 0.1, "clip_threshold": 0.5, "decay_rate": -0.6,
                                       "adafactor_eps": [1e-4, 0.9], "scale_parameter": True},
                         lambda p: adafactor(p, lr=first, eps=(1e-4, 0.9), clip_threshold=0.5, decay_rate=-0.6,
                                             beta1=0.9, weight_decay=0.1, scale_parameter=True, relative_step=False))
    yield optimizer_case("adafactor", {"relative_step": True},
                         lambda p: adafactor(p, lr=None, scale_parameter=False, relative_step=True))
    yield optimizer_case("adafactor", {"relative_step": True, "warmup_init": True, "scale_parameter": True},
                         lambda p: adafactor(p, lr=None, scale_parameter=True, relative_step=True, warmup_init=True))


class Rate:
    """The part of fairseq's optimizer that a schedule uses."""

    def __init__(self, lr):
        self.optimizer = torch.optim.SGD([torch.zeros(1)], lr=lr)

    def set_lr(self, lr):
        self.optimizer.param_groups[0]["lr"] = lr

    def get_lr(self):
        return self.optimizer.param_groups[0]["lr"]


def schedule_case(folder, name, file, cls, options, lr, values, updates=4, maximize=False, max_update=0):
    module = load(folder, f"lr_scheduler/{file}")
    cfg = getattr(module, cls + "Config")()
    cfg.lr, cfg.max_update, cfg.maximize_best_checkpoint_metric = lr, max_update, maximize
    for key, value in options.items():
        setattr(cfg, key, value)
    rate = Rate(lr[0])
    schedule = getattr(module, cls)(cfg, rate)
    epochs, n = [], 0
    schedule.step_update(0)
    for epoch, value in enumerate(values, 1):
        if hasattr(schedule, "step_begin_epoch"):
            schedule.step_begin_epoch(epoch)
        rates = []
        for _ in range(updates):
            rates.append(rate.get_lr())
            n += 1
            schedule.step_update(n)
        schedule.step(epoch, value)
        epochs.append({"value": value, "rates": rates})
    return {"name": name, "options": options, "lr": lr, "max_update": max_update, "larger_is_better": maximize,
            "epochs": epochs}


def schedules(folder):
    fixed = ("fixed", "fixed_schedule.py", "FixedLRSchedule")
    plateau = ("reduce_lr_on_plateau", "reduce_lr_on_plateau.py", "ReduceLROnPlateauLRSchedule")
    tri = ("tri_stage", "tri_stage_lr_scheduler.py", "TriStageLRSchedule")
    none = [None] * 5
    yield schedule_case(folder, *fixed, {}, [0.5, 0.2, 0.1], none)
    yield schedule_case(folder, *fixed, {"force_anneal": 3, "lr_shrink": 0.5, "warmup_updates": 6}, [0.5, 0.2], none)
    losses = [5.0, 4.0, 4.0, 3.9999, 3.0, 3.1, None, 3.2, 2.0]
    yield schedule_case(folder, *plateau, {}, [0.5], losses)
    yield schedule_case(folder, *plateau, {"lr_patience": 1, "lr_shrink": 0.3, "warmup_updates": 6,
                                           "warmup_init_lr": 0.1, "lr_threshold": 0.1}, [0.5], losses)
    yield schedule_case(folder, *plateau, {"lr_patience": 1, "lr_shrink": 0.3}, [0.5],
                        [10.0, 20.0, 20.0, 19.0, 20.001, 25.0, 24.0, 24.0], maximize=True)
    yield schedule_case(folder, *tri, {"warmup_steps": 3, "hold_steps": 4, "decay_steps": 5, "init_lr_scale": 0.1,
                                       "final_lr_scale": 0.05}, [0.5], none)
    yield schedule_case(folder, *tri, {"phase_ratio": [0.25, 0.25, 0.5]}, [0.5], none, max_update=17)


if __name__ == "__main__":
    json.dump({"optimizers": list(optimizers(sys.argv[1])), "schedules": list(schedules(sys.argv[1]))}, sys.stdout)
    print()
