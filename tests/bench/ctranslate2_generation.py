"""The peer of the generation race: CTranslate2 on a fairseq-style model of ours, with beam search.

Reads weights under fairseq's names (safetensors), their options (JSON) and a data folder; translates
a split, the test set by default, and prints subwords a second, </s> counted, and the hypotheses when asked. Loading and
converting are not timed. Needs ctranslate2 and numpy.
"""

import argparse
import json
import math
import pathlib
import resource
import struct
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import TransformerSpec

import fairseq_data

LONGEST = 1024


def read_safetensors(path):
    content = pathlib.Path(path).read_bytes()
    (header_size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + header_size])
    data = memoryview(content)[8 + header_size:]
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], numpy.float32).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


def positions(width):
    """fairseq's sinusoids; its first token stands at position 2."""
    rates = numpy.exp(numpy.arange(width // 2) * -(math.log(10000) / (width // 2 - 1)))
    angles = numpy.arange(2, LONGEST + 2)[:, None] * rates
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1).astype(numpy.float32)


def fill(spec, tensors, *names):
    """One matrix of CTranslate2's: several of fairseq's, stacked."""
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


def convert(tensors, options, symbols, folder):
    """A post-norm Transformer with one embedding matrix, as fairseq's default with shared embeddings."""
    layers = options["encoder_layers"], options["decoder_layers"]
    spec = TransformerSpec.from_config(layers, options["encoder_attention_heads"], pre_norm=False)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("weights")
    parser.add_argument("options")
    parser.add_argument("data")
    parser.add_argument("--compute-type", default="float32")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--workers", type=int, default=1, help="batches side by side")
    parser.add_argument("--threads", type=int, required=True, help="of each worker")
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"], help="cpu = user time of the process")
    parser.add_argument("--batch-tokens", type=int, default=1024, help="0 = one sentence at a time")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--length", type=int, help="of every hypothesis, </s> not counted")
    parser.add_argument("--split", default="test", help="of the data folder")
    parser.add_argument("--sentences", type=int, help="only the first so many")
    parser.add_argument("--output", help="write the hypotheses here, in the order of the input")
    arguments = parser.parse_args()

    symbols = fairseq_data.read_symbols(f"{arguments.data}/dict.en.txt")
    sources = [[symbols[id] for id in sentence[:-1]]
               for sentence in fairseq_data.read_sentences(f"{arguments.data}/{arguments.split}.en-de.en")[:arguments.sentences]]
    options = json.loads(pathlib.Path(arguments.options).read_text())
    with tempfile.TemporaryDirectory() as folder:
        convert(read_safetensors(arguments.weights), options, symbols, folder)
        translator = ctranslate2.Translator(folder, device=arguments.device, compute_type=arguments.compute_type,
                                            inter_threads=arguments.workers, intra_threads=arguments.threads)
    batching = {"batch_type": "tokens", "max_batch_size": arguments.batch_tokens}
    if arguments.batch_tokens == 0:
        batching = {"max_batch_size": 1}
    settings = {"beam_size": arguments.beam, "length_penalty": 1.0, "max_decoding_length": 200, **batching}
    if arguments.length:
        settings |= {"min_decoding_length": arguments.length, "max_decoding_length": arguments.length}
    translator.translate_batch(sources[:2 if arguments.length else 20], **settings)
    now = time.perf_counter if arguments.clock == "wall" else lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
    start = now()
    results = translator.translate_batch(sources, **settings)
    seconds = now() - start
    hypotheses = [result.hypotheses[0] for result in results]
    if arguments.output:
        pathlib.Path(arguments.output).write_text("".join(" ".join(h) + "\n" for h in hypotheses))
    subwords = sum(len(hypothesis) + 1 for hypothesis in hypotheses)
    print(json.dumps({"tokens_per_second": subwords / seconds, "subwords": subwords}))


if __name__ == "__main__":
    main()
