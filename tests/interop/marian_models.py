"""Random Transformers in Marian's format, and their translations by pymarian."""
import json

import numpy

SETTINGS = {
    "bert-train-type-embeddings": True, "bert-type-vocab-size": 2, "dec-cell": "gru", "dec-cell-base-depth": 2,
    "dec-cell-high-depth": 1, "dec-depth": 2, "dim-emb": 16, "dim-rnn": 1024, "enc-cell": "gru", "enc-cell-depth": 1,
    "enc-depth": 2, "enc-type": "bidirectional", "factors-combine": "sum", "factors-dim-emb": 0, "input-types": [],
    "layer-normalization": False, "lemma-dependency": "", "lemma-dim-emb": 0, "output-omit-bias": False,
    "right-left": False, "separator-symbol": "[eos]", "skip": False, "special-vocab": [], "tied-embeddings": False,
    "tied-embeddings-all": False, "tied-embeddings-src": False, "transformer-aan-activation": "swish",
    "transformer-aan-depth": 2, "transformer-aan-nogate": False, "transformer-alibi-shift": False,
    "transformer-alibi-trainable": False, "transformer-attention-mask": "default",
    "transformer-decoder-autoreg": "self-attention", "transformer-decoder-dim-ffn": 0, "transformer-decoder-ffn-depth": 0,
    "transformer-depth-scaling": False, "transformer-dim-aan": 2048, "transformer-dim-ffn": 24,
    "transformer-disable-position-embeddings": False, "transformer-ffn-activation": "relu", "transformer-ffn-depth": 2,
    "transformer-guided-alignment-layer": "last", "transformer-heads": 4, "transformer-no-affine": False,
    "transformer-no-bias": False, "transformer-no-projection": False, "transformer-pool": False,
    "transformer-postprocess": "dan", "transformer-postprocess-emb": "d", "transformer-postprocess-top": "",
    "transformer-preprocess": "", "transformer-rnn-projection": False, "transformer-tied-layers": [],
    "transformer-train-position-embeddings": False, "type": "transformer", "ulr": False, "ulr-dim-emb": 0,
    "ulr-trainable-transformation": False, "version": "v1.12.42 2c55cb1f; 2024-08-02 13:33:41 +0000",
}


class RandomModel:
    """The arrays of a model with given settings; weights are large enough for translations to depend on them."""

    def __init__(self, seed, source_size, target_size, **changes):
        self.random = numpy.random.default_rng(seed)
        self.settings = {**SETTINGS, **{name.replace("_", "-"): value for name, value in changes.items()}}
        self.sizes = [source_size, target_size]
        self.arrays = {}
        self.width = self.settings["dim-emb"]
        self.embeddings()
        for stack in ("encoder", "decoder"):
            self.stack(stack)

    def add(self, name, rows, columns, scale, mean=0.0):
        values = self.random.standard_normal((rows, columns)) * scale + mean
        self.arrays[name] = values.astype(numpy.float32)

    def embeddings(self):
        settings, width = self.settings, self.width
        tied_all = settings["tied-embeddings-all"]
        if tied_all or settings["tied-embeddings-src"]:
            self.add("Wemb", self.sizes[0], width, 0.6)
        else:
            self.add("encoder_Wemb", self.sizes[0], width, 0.6)
            self.add("decoder_Wemb", self.sizes[1], width, 0.6)
        if tied_all or settings["tied-embeddings"]:
            self.end_often(self.arrays["Wemb" if tied_all or settings["tied-embeddings-src"] else "decoder_Wemb"])
        else:
            self.add("decoder_ff_logit_out_Wt", self.sizes[1], width, 0.3)
            self.follow_a_chain(self.arrays["Wemb" if settings["tied-embeddings-src"] else "decoder_Wemb"])
        if not settings["output-omit-bias"]:
            self.add("decoder_ff_logit_out_b", 1, self.sizes[1], 0.4)
            self.arrays["decoder_ff_logit_out_b"][0, 0] += 0.5

    def end_often(self, embedding):
        """With one matrix, each symbol makes itself likely; half of the symbols make </s> likely, too."""
        embedding[0] += 0.8 * embedding[2::2].sum(axis=0)

    def follow_a_chain(self, embedding):
        """Each symbol makes another one or </s> likely, so that translations do not repeat one symbol forever."""
        output = self.arrays["decoder_ff_logit_out_Wt"]
        output[self.random.permutation(len(output))] += 1.2 * embedding
        output[0] += 1.2 * embedding[2::12].sum(axis=0)

    def linear(self, prefix, suffix, rows, columns):
        self.add(f"{prefix}W{suffix}", rows, columns, 0.8 / numpy.sqrt(rows))
        self.add(f"{prefix}b{suffix}", 1, columns, 0.1)

    def norm(self, prefix, suffix=None):
        pre = "_pre" if "n" in self.settings["transformer-preprocess"] else ""
        suffix = pre if suffix is None else suffix
        self.add(f"{prefix}_ln_scale{suffix}", 1, self.width, 0.2, 1.0)
        self.add(f"{prefix}_ln_bias{suffix}", 1, self.width, 0.1)

    def attention(self, name):
        for part in "qkvo":
            self.linear(f"{name}_", part, self.width, self.width)
        self.norm(f"{name}_Wo")

    def recurrent(self, name):
        for part in ("W", "Wf"):
            self.add(f"{name}_{part}", self.width, self.width, 0.8 / numpy.sqrt(self.width))
        self.add(f"{name}_bf", 1, self.width, 0.2)
        if self.settings["transformer-rnn-projection"]:
            self.linear(f"{name}_", "o", self.width, self.width)
        pre = "n" in self.settings["transformer-preprocess"]
        self.norm(name if pre else f"{name}_ffn")

    def stack(self, stack):
        settings = self.settings
        hidden = settings["transformer-dim-ffn"]
        if stack == "decoder" and settings["transformer-decoder-dim-ffn"]:
            hidden = settings["transformer-decoder-dim-ffn"]
        layers = range(1, settings["enc-depth" if stack == "encoder" else "dec-depth"] + 1)
        if stack == "decoder" and settings["transformer-tied-layers"]:
            layers = sorted(set(settings["transformer-tied-layers"]))
        for layer in layers:
            name = f"{stack}_l{layer}_"
            if stack == "decoder" and settings["transformer-decoder-autoreg"] == "rnn":
                self.recurrent(f"{name}rnn")
            else:
                self.attention(f"{name}self")
            if stack == "decoder":
                self.attention(f"{name}context")
            self.linear(f"{name}ffn_", "1", self.width, hidden)
            self.linear(f"{name}ffn_", "2", hidden, self.width)
            self.norm(f"{name}ffn_ffn")
        if "n" in settings["transformer-postprocess-emb"]:
            self.norm(f"{stack}_emb", "_pre")
        if "n" in settings["transformer-postprocess-top"]:
            self.norm(f"{stack}_top", "")

    def yaml(self):
        """Settings as Marian writes them: sorted, with nonempty lists in block style."""
        lines = []
        for name, value in sorted({**self.settings, "dim-vocabs": self.sizes}.items()):
            if isinstance(value, list):
                lines.append(f"{name}:")
                lines += [f"  - {item}" for item in value] or ["  []"]
            else:
                lines.append(f"{name}: {json.dumps(value)}")
        return "\n".join(lines) + "\n"

    def save(self, path):
        settings = numpy.frombuffer(self.yaml().encode() + b"\0", dtype=numpy.int8)
        numpy.savez(path, **self.arrays, **{"special:model.yml": settings})


def vocabulary_yml(prefix, size):
    """</s>, <unk> and made-up words, one of which needs quotes and an escape."""
    words = ["</s>", "<unk>"] + [f"{prefix}{i}" for i in range(size - 4)] + ["a:b", '"\\u00e4"']
    return "".join(f"{word}: {i}\n" for i, word in enumerate(words))


def words_of(prefix, size):
    return [f"{prefix}{i}" for i in range(size - 4)] + ["a:b", "ä"]


def by_marian(model, vocabularies, lines, beam, longest=3):
    """(symbols, score) by pymarian; without normalization, scores are sums of log-probabilities."""
    from pymarian import Translator

    translator = Translator(models=str(model), vocabs=[str(path) for path in vocabularies], beam_size=beam, normalize=0,
                            quiet=True, cpu_threads=1, max_length_factor=longest, n_best=True, no_spm_decode=True, mini_batch=1,
                            maxi_batch=1)
    found = []
    for line in lines:
        best = translator.translate(line).split("\n")[0].split(" ||| ")
        found.append((best[1].strip(), float(best[-1])))
    return found
