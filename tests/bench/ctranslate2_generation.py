"""A peer of the generation race: CTranslate2 with a fairseq-style model of phraseq.

Loading and converting are not timed. Needs ctranslate2 and numpy; generation_peer.py has the arguments.
"""

import math
import tempfile

import ctranslate2
import numpy
from ctranslate2.specs import TransformerSpec

import generation_peer

LONGEST = 1024


def positions(width):
    """fairseq's sinusoids; its first token has position 2."""
    rates = numpy.exp(numpy.arange(width // 2) * -(math.log(10000) / (width // 2 - 1)))
    angles = numpy.arange(2, LONGEST + 2)[:, None] * rates
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1).astype(numpy.float32)


def fill(spec, tensors, *names):
    """A matrix of CTranslate2, which consists of several matrices of fairseq."""
    spec.weight = numpy.concatenate([tensors[f"{name}.weight"] for name in names])
    spec.bias = numpy.concatenate([tensors[f"{name}.bias"] for name in names])


def fill_norm(spec, tensors, name):
    spec.gamma, spec.beta = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def fill_layer(spec, tensors, name):
    own, other = f"{name}.self_attn", f"{name}.encoder_attn"
    fill(spec.self_attention.linear[0], tensors, f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj")
    fill(spec.self_attention.linear[1], tensors, f"{own}.out_proj")
    fill_norm(spec.self_attention.layer_norm, tensors, f"{own}_layer_norm")
    if hasattr(spec, "attention"):
        fill(spec.attention.linear[0], tensors, f"{other}.q_proj")
        fill(spec.attention.linear[1], tensors, f"{other}.k_proj", f"{other}.v_proj")
        fill(spec.attention.linear[2], tensors, f"{other}.out_proj")
        fill_norm(spec.attention.layer_norm, tensors, f"{other}_layer_norm")
    fill(spec.ffn.linear_0, tensors, f"{name}.fc1")
    fill(spec.ffn.linear_1, tensors, f"{name}.fc2")
    fill_norm(spec.ffn.layer_norm, tensors, f"{name}.final_layer_norm")


def convert(tensors, shape, symbols, folder):
    """A post-norm Transformer with one embedding matrix, like fairseq's default with shared embeddings."""
    spec = TransformerSpec.from_config((shape.encoder_layers, shape.decoder_layers), shape.heads, pre_norm=False)
    embedding = tensors["encoder.embed_tokens.weight"]
    for side, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        embedded = stack.embeddings[0] if side == "encoder" else stack.embeddings
        embedded.weight = embedding
        stack.scale_embeddings = True
        stack.position_encodings.encodings = positions(embedding.shape[1])
        for number, layer in enumerate(stack.layer):
            fill_layer(layer, tensors, f"{side}.layers.{number}")
    spec.decoder.projection.weight = embedding
    spec.config.decoder_start_token = "</s>"
    spec.config.add_source_eos = True
    spec.register_source_vocabulary(symbols)
    spec.register_target_vocabulary(symbols)
    spec.validate()
    spec.optimize(quantization=None)
    spec.save(folder)


def load(arguments, symbols):
    tensors = generation_peer.read_safetensors(arguments.weights)
    with tempfile.TemporaryDirectory() as folder:
        convert(tensors, generation_peer.shape_of(arguments, tensors), symbols, folder)
        return ctranslate2.Translator(folder, device=arguments.device, compute_type=arguments.compute_type,
                                      inter_threads=arguments.workers, intra_threads=arguments.threads)


def settings_of(arguments):
    batching = {"batch_type": "tokens", "max_batch_size": arguments.batch_tokens}
    if arguments.batch_tokens == 0:
        batching = {"max_batch_size": 1}
    lengths = {"max_decoding_length": 200}
    if arguments.length:
        lengths = {"min_decoding_length": arguments.length, "max_decoding_length": arguments.length}
    return {"beam_size": arguments.beam, "length_penalty": 1.0, **lengths, **batching}


def main():
    arguments = generation_peer.arguments_of(__doc__)
    symbols = generation_peer.symbols_of(arguments)
    sources = [[symbols[id] for id in sentence[:-1]] for sentence in generation_peer.sentences_of(arguments)]
    translator, settings = load(arguments, symbols), settings_of(arguments)

    def translate(lines):
        return [result.hypotheses[0] for result in translator.translate_batch(lines, **settings)]

    generation_peer.measure(arguments, translate, sources)


if __name__ == "__main__":
    main()
