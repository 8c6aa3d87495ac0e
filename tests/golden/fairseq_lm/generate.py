"""Writes this folder: a language model and a translation model of fairseq 0.12.2 with random weights, and fairseq's
results with them.

    pip download --no-deps --no-binary :all: fairseq==0.12.2 && tar xzf fairseq-0.12.2.tar.gz
    pip install "omegaconf==2.0.6" "hydra-core==1.0.7" "numpy<2" regex "sacrebleu==2.3.1" cffi bitarray tqdm cython torch
    (cd fairseq-0.12.2 && python3 setup.py build_ext --inplace)
    python3 generate.py fairseq-0.12.2 FOLDER          (made with Python 3.11 and PyTorch 2.13)

It writes lm.pt, bos.pt and translation.pt (checkpoints), the dictionaries, test.txt, which is binarized
as by fairseq-preprocess --only-source, and expected.json: the lines of fairseq_cli.eval_lm for several
settings, and hypotheses of SequenceGenerator for prompts and for shallow fusion.
"""
import argparse
import contextlib
import json
import logging
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fairseq_dataclasses  # noqa: E402, F401

sys.path.insert(0, sys.argv[1])
import torch  # noqa: E402
from fairseq import options as fairseq_options  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq.data import Dictionary, indexed_dataset  # noqa: E402
from fairseq.models.transformer import TransformerModel  # noqa: E402
from fairseq.models.transformer_lm import TransformerLanguageModel  # noqa: E402
from fairseq.sequence_generator import SequenceGenerator  # noqa: E402
from fairseq.tasks.language_modeling import LanguageModelingTask  # noqa: E402
from fairseq_cli.eval_lm import eval_lm  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

FOLDER = pathlib.Path(sys.argv[2])
WORDS = [f"w{i}" for i in range(20)] + [f"s{i}@@" for i in range(6)]
SIZES = ["--decoder-embed-dim", "8", "--decoder-ffn-embed-dim", "12", "--decoder-layers", "2",
         "--decoder-attention-heads", "2"]
MODELS = {
    "lm": ["--arch", "transformer_lm_gpt", *SIZES, "--share-decoder-input-output-embed", "--tokens-per-sample", "32"],
    # fairseq's plain transformer_lm has embeddings of width 512 unless these two are given, too
    "bos": ["--arch", "transformer_lm", *SIZES, "--decoder-input-dim", "8", "--decoder-output-dim", "8",
            "--add-bos-token", "--tokens-per-sample", "32", "--decoder-learned-pos", "--max-target-positions", "60"],
}
# model, options of the evaluation
EVALUATIONS = [
    ("lm", dict()),
    ("lm", dict(sample_break_mode="complete", tokens_per_sample=9)),
    ("lm", dict(sample_break_mode="complete_doc", tokens_per_sample=9)),
    ("lm", dict(sample_break_mode="eos")),
    ("lm", dict(tokens_per_sample=12, context_window=5)),
    ("lm", dict(tokens_per_sample=16, context_window=7, sample_break_mode="complete")),
    ("lm", dict(tokens_per_sample=10, remove_bpe=True)),
    ("bos", dict(sample_break_mode="eos")),
    # With <s>, fairseq fails if a block ends within a word, which never happens with sample_break_mode eos.
    ("bos", dict(sample_break_mode="eos", remove_bpe=True)),
]


def arguments(task, extra):
    parser = fairseq_options.get_training_parser(default_task=task)
    args = fairseq_options.parse_args_and_arch(parser, ["data-bin", "--task", task, *extra])
    return convert_namespace_to_omegaconf(args)


def disturb(model):
    """Makes weights larger than fairseq's, so that results depend on them."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.2)
            else:
                parameter.mul_(1.5 if "embed" in name else 2.5)
    return model.eval()


def save(name, cfg, model):
    """Saves a model as fairseq's trainer does."""
    torch.save({"args": None, "cfg": OmegaConf.to_container(cfg, resolve=True, enum_to_str=True),
                "model": model.state_dict()}, FOLDER / f"{name}.pt")


class Lines(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def evaluate(cfg, dictionary, model, data, settings):
    args = argparse.Namespace(**OmegaConf.to_container(cfg.task, resolve=True, enum_to_str=True))
    args.data = data
    context = settings.get("context_window", 0)
    args.sample_break_mode = settings.get("sample_break_mode", args.sample_break_mode)
    args.tokens_per_sample = settings.get("tokens_per_sample", args.tokens_per_sample) - context
    task = LanguageModelingTask(args, dictionary)
    task.load_dataset("test")
    batches = task.eval_lm_dataloader(task.dataset("test"), max_tokens=40, max_positions=model.max_positions(),
                                      num_workers=0, context_window=context)
    log, handler = logging.getLogger("fairseq_cli.eval_lm"), Lines()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    # "@@ " is the value of --remove-bpe; with subword_nmt, eval_lm looks for tokens that end in "subword_nmt".
    result = eval_lm([model], dictionary, batches, post_process="@@ " if settings.get("remove_bpe") else None,
                     output_word_probs=True, output_word_stats=True, remove_bos_token=args.add_bos_token)
    log.removeHandler(handler)
    stats, words = [], {}
    for line in handler.lines:
        if line.startswith("Evaluated "):
            tokens = int(line.split()[1].replace(",", ""))
        elif line.count("\t") == 5 and "[" not in line.split("\t")[0]:
            word, count, total, joined, following, number = line.split("\t")
            following = following.replace("tensor(", "").replace(")", "")
            stats.append([word, int(count), float(total), joined, float(following), int(number)])
        else:
            number, rest = line.split(" ", 1)
            words[number] = [[pair.rsplit(" [", 1)[0], float(pair.rsplit(" [", 1)[1][:-1])] for pair in rest.split("\t")]
    return {"tokens": tokens, "words": words, "statistics": stats,
            "summary": "Loss (base 2): {:.4f}, Perplexity: {:.2f}".format(float(result["loss"]),
                                                                        float(result["perplexity"]))}


def hypotheses(generator, models, batch, dictionary, **extra):
    found = []
    for of_sentence in generator.generate(models, batch, **extra):
        found.append([{"symbols": dictionary.string(h["tokens"]), "score": float(h["score"]),
                       "token_scores": h["positional_scores"].tolist()} for h in of_sentence])
    return found


def batch_of(ids):
    ids = ids.long()[None]
    return {"net_input": {"src_tokens": ids, "src_lengths": torch.tensor([ids.shape[1]])}}


def main():
    torch.set_num_threads(1)
    torch.manual_seed(11)
    random.seed(11)
    dictionary = Dictionary()
    for word in WORDS:
        dictionary.add_symbol(word)
    (FOLDER / "dict.txt").write_text("".join(f"{word} 1\n" for word in WORDS))
    lines = []
    for _ in range(24):
        words = random.choices(WORDS, k=random.randint(0, 11))
        while words and words[-1].endswith("@@"):
            words.pop()
        lines.append(" ".join(words))
    (FOLDER / "test.txt").write_text("".join(line + "\n" for line in lines))

    expected = {"evaluations": [], "prompts": [], "fusion": []}
    with tempfile.TemporaryDirectory() as data, contextlib.redirect_stdout(sys.stderr):
        dictionary.save(data + "/dict.txt")
        builder = indexed_dataset.make_builder(data + "/test.bin", impl="mmap", vocab_size=len(dictionary))
        for line in lines:
            builder.add_item(dictionary.encode_line(line, add_if_not_exist=False).int())
        builder.finalize(data + "/test.idx")

        models = {}
        for name, extra in MODELS.items():
            cfg = arguments("language_modeling", extra)
            task = LanguageModelingTask(cfg.task, dictionary)
            model = disturb(TransformerLanguageModel.build_model(cfg.model, task))
            save(name, cfg, model)
            models[name] = cfg, model
        for name, settings in EVALUATIONS:
            cfg, model = models[name]
            expected["evaluations"].append({"model": name, **settings,
                                            **evaluate(cfg, dictionary, model, data, settings)})

        # Continuations as by fairseq-interactive: the prompt is forced after the first token.
        for name in MODELS:
            cfg, model = models[name]
            first = dictionary.bos() if cfg.task.add_bos_token else dictionary.eos()
            generator = SequenceGenerator([model], dictionary, beam_size=3, max_len_a=0, max_len_b=14)
            for line in ("w3 w4", "w1 s2@@ w5 w9", "w7"):
                prompt = dictionary.encode_line(line, add_if_not_exist=False, append_eos=False).long()
                batch = batch_of(torch.cat([torch.tensor([first]), prompt]))
                found = hypotheses(generator, [model], batch, dictionary, prefix_tokens=prompt[None], bos_token=first)
                expected["prompts"].append({"model": name, "prompt": line, "hypotheses": found[0]})

        # Shallow fusion: a translation model with the language model's dictionary on the target side.
        source = Dictionary()
        for number in range(15):
            source.add_symbol(f"q{number}")
        (FOLDER / "dict.xx.txt").write_text("".join(f"q{number} 1\n" for number in range(15)))
        (FOLDER / "dict.yy.txt").write_text((FOLDER / "dict.txt").read_text())
        extra = ["--arch", "transformer", "--source-lang", "xx", "--target-lang", "yy", *SIZES,
                 "--encoder-embed-dim", "8", "--encoder-ffn-embed-dim", "12", "--encoder-layers", "1",
                 "--encoder-attention-heads", "2"]
        cfg = arguments("translation", extra)
        task = argparse.Namespace(source_dictionary=source, target_dictionary=dictionary)
        translation = disturb(TransformerModel.build_model(cfg.model, task))
        save("translation", cfg, translation)
        for weight in (0.0, 0.3, 1.0, -0.5):
            for settings in (dict(), dict(unk_penalty=0.7), dict(temperature=1.5)):
                generator = SequenceGenerator([translation], dictionary, beam_size=4, max_len_a=0, max_len_b=12,
                                              lm_model=models["lm"][1], lm_weight=weight, **settings)
                for line in ("q1 q2 q3", "q14", "q5 q5 q6 q7 q8"):
                    ids = source.encode_line(line, add_if_not_exist=False)
                    found = hypotheses(generator, [translation], batch_of(ids), dictionary)
                    expected["fusion"].append({"weight": weight, **settings, "source": line, "hypotheses": found[0]})
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=None, separators=(",", ":")) + "\n")


main()
