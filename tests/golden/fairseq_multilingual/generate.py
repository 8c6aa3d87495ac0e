"""Writes this folder: multilingual models of fairseq 0.12.2 with random weights, a data folder of several language pairs,
and fairseq's results with them.

    pip download --no-deps --no-binary :all: fairseq==0.12.2 && tar xzf fairseq-0.12.2.tar.gz
    pip install "omegaconf==2.0.6" "hydra-core==1.0.7" "numpy<1.24" regex "sacrebleu==2.3.1" cffi bitarray tqdm cython torch
    (cd fairseq-0.12.2 && python3 setup.py build_ext --inplace)
    python3 generate.py fairseq-0.12.2 FOLDER          (made with Python 3.11 and PyTorch 2.13)

It writes data-bin (by fairseq-preprocess, one pair after another in one folder), test.LANG (text), a checkpoint for
each of SETTINGS, and expected.json: for each setting the tokens of all training examples, the losses of the valid sets,
and hypotheses of several directions; and the weights, sizes and numbers of examples of fairseq's sampling.
"""
import argparse
import json
import pathlib
import random
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fairseq_dataclasses  # noqa: E402, F401

sys.path.insert(0, sys.argv[1])
import torch  # noqa: E402
from fairseq import options as fairseq_options  # noqa: E402
from fairseq import tasks  # noqa: E402
from fairseq.data import ListDataset, SampledMultiDataset  # noqa: E402
from fairseq.data.language_pair_dataset import collate  # noqa: E402, F401
from fairseq.data.multilingual.sampled_multi_dataset import default_virtual_size_func  # noqa: E402
from fairseq.data.multilingual.sampling_method import temperature_sampling, uniform  # noqa: E402
from fairseq.dataclass.utils import convert_namespace_to_omegaconf  # noqa: E402
from fairseq_cli import preprocess  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

FOLDER = pathlib.Path(sys.argv[2])
LANGUAGES = ["en", "de", "fr"]
# language pairs as their files are named, and their sentences
PAIRS = {("en", "de"): 7, ("en", "fr"): 4}
TRAINED = "en-de,de-en,en-fr"
DIRECTIONS = ["en-de", "de-en", "en-fr", "de-fr"]  # the last one is not trained
SETTINGS = {
    "source": ["--encoder-langtok", "src", "--decoder-langtok"],
    "target": ["--encoder-langtok", "tgt"],
    "mbart": ["--encoder-langtok", "tgt", "--decoder-langtok", "--lang-tok-style", "mbart", "--langs", "fr,en,de"],
    "replaced": ["--encoder-langtok", "tgt", "--decoder-langtok", "--lang-tok-replacing-bos-eos"],
}
SIZES = ["--encoder-embed-dim", "8", "--encoder-ffn-embed-dim", "12", "--encoder-layers", "1",
         "--encoder-attention-heads", "2", "--decoder-embed-dim", "8", "--decoder-ffn-embed-dim", "12",
         "--decoder-layers", "1", "--decoder-attention-heads", "2", "--share-all-embeddings"]
BEAM = 4
NBEST = 2


def sentence(language):
    return " ".join(f"{language}{random.randrange(6)}" if random.random() < 0.8 else random.choice([".", ",", "new"])
                    for _ in range(random.randrange(1, 6)))


def write_data():
    text = pathlib.Path(tempfile.mkdtemp())
    for (source, target), size in PAIRS.items():
        for split, count in (("train", size), ("valid", 3)):
            for language in (source, target):
                lines = [sentence(language) for _ in range(count)]
                (text / f"{split}.{source}-{target}.{language}").write_text("\n".join(lines) + "\n")
    (text / "words").write_text("".join(f"{language}{i}\n" for language in LANGUAGES for i in range(5)) + ". , . ,\n")
    parser = fairseq_options.get_preprocessing_parser()
    run = lambda *arguments: preprocess.main(parser.parse_args(list(arguments)))  # noqa: E731
    run("--only-source", "--trainpref", str(text / "words"), "--destdir", str(text / "dict"), "--padding-factor", "1")
    shutil.rmtree(FOLDER / "data-bin", ignore_errors=True)
    for source, target in PAIRS:
        prefixes = [f"--{split}pref={text}/{split}.{source}-{target}" for split in ("train", "valid")]
        run("-s", source, "-t", target, *prefixes, "--srcdict", str(text / "dict" / "dict.txt"), "--joined-dictionary",
            "--destdir", str(FOLDER / "data-bin"))
    (FOLDER / "data-bin" / "preprocess.log").unlink(missing_ok=True)
    for language in LANGUAGES[:2]:
        (FOLDER / f"test.{language}").write_text("".join(sentence(language) + "\n" for _ in range(4)) + "\n")


def arguments(setting, extra=()):
    parser = fairseq_options.get_training_parser(default_task="translation_multi_simple_epoch")
    args = fairseq_options.parse_args_and_arch(parser, [
        str(FOLDER / "data-bin"), "--task", "translation_multi_simple_epoch", "--arch", "transformer",
        "--lang-pairs", TRAINED, "--dropout", "0", *SIZES, *SETTINGS[setting], *extra])
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


def without_padding(row, pad):
    return [int(token) for token in row if token != pad]


def examples(task):
    """The input of the encoder, the input of the decoder and its expected output, by pair."""
    found, pad = {}, task.source_dictionary.pad()
    params = task.data_manager.get_split_data_param_list("train", 1)
    for pair, (_, data) in zip(TRAINED.split(","),
                               [(p["key"], task.data_manager.load_a_dataset(combine=True, **p)) for p in params]):
        found[pair] = []
        for i in range(len(data)):
            batch = data.collater([data[i]])
            found[pair].append([without_padding(batch["net_input"]["src_tokens"][0], pad),
                                without_padding(batch["net_input"]["prev_output_tokens"][0], pad),
                                without_padding(batch["target"][0], pad)])
    return found


def loss_of(task, model, data):
    total, tokens = 0.0, 0
    for i in range(len(data)):
        batch = data.collater([data[i]])
        with torch.no_grad():
            logits, _ = model(**batch["net_input"])
        scores = torch.log_softmax(logits.double(), dim=-1)
        target = batch["target"]
        total -= float(scores.gather(2, target[:, :, None]).sum())
        tokens += target.numel()
    return {"nll_loss": total / tokens, "tokens": tokens}


def losses(task, model):
    found = {}
    for pair, param in zip(TRAINED.split(","), task.data_manager.get_split_data_param_list("valid", 1)):
        found[pair] = loss_of(task, model, task.data_manager.load_a_dataset(combine=False, **param))
    return found


def hypotheses(setting, model):
    """Translations as by fairseq-interactive."""
    found = {}
    for direction in DIRECTIONS:
        source, target = direction.split("-")
        cfg = arguments(setting, ["--source-lang", source, "--target-lang", target])
        task = tasks.setup_task(cfg.task)
        settings = argparse.Namespace(beam=BEAM, nbest=NBEST, max_len_a=1, max_len_b=4)
        generator = task.build_generator([model], settings)
        found[direction] = []
        for line in (FOLDER / f"test.{source}").read_text().splitlines():
            if not line:
                continue
            ids = task.source_dictionary.encode_line(line, add_if_not_exist=False).long()
            data = task.build_dataset_for_inference([ids], [ids.numel()])
            batch = data.collater([data[0]])
            [best] = task.inference_step(generator, [model], batch)
            strip = generator.symbols_to_strip_from_output
            found[direction].append({
                "source": task.source_dictionary.string(batch["net_input"]["src_tokens"][0]),
                "hypotheses": [{"symbols": task.target_dictionary.string(h["tokens"], extra_symbols_to_ignore=strip),
                                "score": float(h["score"]),
                                "token_ids": h["tokens"].tolist(),
                                "token_scores": h["positional_scores"].tolist()} for h in best[:NBEST]]})
    return found


def of_setting(setting):
    torch.manual_seed(list(SETTINGS).index(setting) + 5)
    cfg = arguments(setting)
    task = tasks.setup_task(cfg.task)
    model = disturb(task.build_model(cfg.model))
    torch.save({"args": None, "cfg": OmegaConf.to_container(cfg, resolve=True, enum_to_str=True),
                "model": model.state_dict()}, FOLDER / f"{setting}.pt")
    model = model.double()
    return {"arguments": SETTINGS[setting], "symbols": task.source_dictionary.symbols, "examples": examples(task),
            "losses": losses(task, model), "directions": hypotheses(setting, model)}


class Numbered(ListDataset):
    """A data set of which only the size matters to fairseq."""

    def __init__(self, size):
        super().__init__(list(range(size)), [1] * size)


def samplings():
    found = []
    for sizes in ([1000, 100, 10], [50, 50], [7, 700], [12345, 678, 9101, 112]):
        for temperature in (None, 1.0, 1.5, 5.0, 100.0):
            weights = uniform(sizes) if temperature is None else temperature_sampling(sizes, temperature)
            datasets = [Numbered(size) for size in sizes]
            data = SampledMultiDataset(datasets, sampling_ratios=weights, virtual_size=default_virtual_size_func)
            found.append({"sizes": sizes, "temperature": temperature, "weights": list(weights),
                          "virtual_size": int(data.virtual_size),
                          "counts": [int(n) for n in data.virtual_size_per_dataset]})
    return found


def main():
    random.seed(3)
    write_data()
    json.dump({"beam": BEAM, "nbest": NBEST, "settings": {name: of_setting(name) for name in SETTINGS},
               "samplings": samplings()}, (FOLDER / "expected.json").open("w"), indent=1)


main()
