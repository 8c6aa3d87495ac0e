"""What the peers of the generation race share: arguments, sentences, the clock, and the form of the results."""

import argparse
import dataclasses
import json
import pathlib
import resource
import struct
import time

import numpy

import fairseq_data


@dataclasses.dataclass
class Shape:
    """The sizes of a post-norm Transformer with one embedding matrix."""
    vocabulary: int
    width: int
    inner: int
    encoder_layers: int
    decoder_layers: int
    heads: int


def arguments_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("weights", help="weights with fairseq's names (safetensors)")
    parser.add_argument("options", help="numbers of layers and heads with fairseq's names (JSON)")
    parser.add_argument("data", help="a data folder of fairseq")
    parser.add_argument("--compute-type", default="float32", help="arithmetic, if the program has several kinds")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--workers", type=int, default=1, help="batches at a time")
    parser.add_argument("--threads", type=int, required=True, help="threads of each worker")
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"], help="cpu = user time of the process")
    parser.add_argument("--batch-tokens", type=int, default=1024, help="tokens per batch; 0 = one sentence at a time")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--length", type=int, help="length of every hypothesis without </s>")
    parser.add_argument("--split", default="test", help="split of the data folder to translate")
    parser.add_argument("--sentences", type=int, help="translate only this many sentences")
    parser.add_argument("--output", help="write the hypotheses here, in the order of the input")
    return parser.parse_args()


def read_safetensors(path):
    """The fp32 tensors by name."""
    content = pathlib.Path(path).read_bytes()
    (header_size,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + header_size])
    data = memoryview(content)[8 + header_size:]
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], numpy.float32).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


def shape_of(arguments, tensors):
    options = json.loads(pathlib.Path(arguments.options).read_text())
    vocabulary, width = tensors["encoder.embed_tokens.weight"].shape
    return Shape(vocabulary, width, len(tensors["encoder.layers.0.fc1.weight"]), options["encoder_layers"],
                 options["decoder_layers"], options["encoder_attention_heads"])


def symbols_of(arguments):
    return fairseq_data.read_symbols(f"{arguments.data}/dict.en.txt")


def sentences_of(arguments):
    """The ids of the sentences to translate, including </s>."""
    return fairseq_data.read_sentences(f"{arguments.data}/{arguments.split}.en-de.en")[:arguments.sentences]


def measure(arguments, translate, sources):
    """Runs `translate` on a few sources and then on all; prints subwords per second, including </s>, as JSON.

    `translate` returns the symbols of each hypothesis, without </s>, in the order of the sources.
    """
    translate(sources[:2 if arguments.length else 20])
    wall = arguments.clock == "wall"
    now = time.perf_counter if wall else lambda: resource.getrusage(resource.RUSAGE_SELF).ru_utime
    start = now()
    hypotheses = translate(sources)
    seconds = now() - start
    if arguments.output:
        pathlib.Path(arguments.output).write_text("".join(" ".join(h) + "\n" for h in hypotheses))
    subwords = sum(len(hypothesis) + 1 for hypothesis in hypotheses)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"tokens_per_second": subwords / seconds, "subwords": subwords, "megabytes": memory / 1024}))
