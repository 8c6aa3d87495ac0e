"""A peer of the generation race: Marian, by pymarian.

Marian cannot load fairseq's models (its positions and its first symbol differ), so a random model of the same
shape translates the same number of symbols. Its </s> is impossible: hypotheses end at Marian's limit, the length of their
source. Loading is not timed. Needs pymarian and numpy; generation_peer.py has the arguments.
"""

import pathlib
import sys
import tempfile

from pymarian import Translator

import generation_peer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))
from marian_models import RandomModel, vocabulary_yml  # noqa: E402

IMPOSSIBLE = -1e9


def save_model(folder, shape):
    if shape.encoder_layers != shape.decoder_layers:
        raise ValueError("encoder and decoder differ in layers")
    model = RandomModel(1, shape.vocabulary, shape.vocabulary, tied_embeddings_all=True, dim_emb=shape.width,
                        enc_depth=shape.encoder_layers, dec_depth=shape.decoder_layers, transformer_heads=shape.heads,
                        transformer_dim_ffn=shape.inner)
    model.arrays["decoder_ff_logit_out_b"][0, 0] = IMPOSSIBLE
    model.save(folder / "model.npz")
    (folder / "vocab.yml").write_text(vocabulary_yml("s", shape.vocabulary))


def batching_of(arguments, sentences):
    if arguments.batch_tokens == 0:
        return {"mini_batch": 1, "maxi_batch": 1}
    return {"mini_batch": len(sentences), "mini_batch_words": arguments.batch_tokens, "maxi_batch": 1, "maxi_batch_sort": "src"}


def main():
    arguments = generation_peer.arguments_of(__doc__)
    if arguments.workers > 1 and arguments.threads > 1:
        raise ValueError("pymarian has workers of one thread")
    tensors = generation_peer.read_safetensors(arguments.weights)
    sentences = generation_peer.sentences_of(arguments)
    lines = [" ".join(f"s{id % 1000}" for id in sentence[:-1]) for sentence in sentences]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_model(folder, generation_peer.shape_of(arguments, tensors))
        translator = Translator(models=str(folder / "model.npz"), vocabs=[str(folder / "vocab.yml")] * 2, quiet=True,
                                beam_size=arguments.beam, normalize=1, cpu_threads=arguments.workers, max_length_factor=1,
                                no_spm_decode=True, **batching_of(arguments, sentences))

        def translate(lines):
            return [line.split() for line in translator.translate(lines)]

        generation_peer.measure(arguments, translate, lines)


if __name__ == "__main__":
    main()
