"""Reads and writes fairseq's indexed data (docs/formats/indexed_dataset.md) with the standard library."""

import array
import pathlib
import random
import struct

MAGIC = b"MMIDIDX\x00\x00"
HEADER = struct.Struct("<QBQ")  # version, element type, number of sentences
TYPES = {8: "H", 4: "i", 9: "I"}  # fairseq's code → array's
SPECIAL_SYMBOLS = 4  # <s> <pad> </s> <unk>
PAD, EOS = 1, 2


def read_lengths(index):
    """The lengths of all sentences, including </s>."""
    content = pathlib.Path(index).read_bytes()
    if not content.startswith(MAGIC):
        raise ValueError(f"{index}: not an index in fairseq's mmap layout")
    _, _, count = HEADER.unpack_from(content, len(MAGIC))
    lengths = array.array("i")
    start = len(MAGIC) + HEADER.size
    lengths.frombytes(content[start:start + 4 * count])
    return lengths


def read_sentences(prefix):
    """All sentences as arrays of ids that end in </s>."""
    content = pathlib.Path(f"{prefix}.idx").read_bytes()
    _, code, _ = HEADER.unpack_from(content, len(MAGIC))
    ids = array.array(TYPES[code])
    ids.frombytes(pathlib.Path(f"{prefix}.bin").read_bytes())
    sentences, place = [], 0
    for length in read_lengths(f"{prefix}.idx"):
        sentences.append(ids[place:place + length])
        place += length
    return sentences


def read_symbols(path):
    """All symbols of a dict.txt by id; the special symbols come first."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    return ["<s>", "<pad>", "</s>", "<unk>", *(line.rsplit(" ", 1)[0] for line in lines if line)]


def read_sources(folder, split):
    """The source sentences of a split as text: symbols separated by spaces, without </s>."""
    symbols = read_symbols(f"{folder}/dict.en.txt")
    return [" ".join(symbols[id] for id in sentence[:-1]) for sentence in read_sentences(f"{folder}/{split}.en-de.en")]


def write_sentences(prefix, sentences):
    """Writes .bin and .idx with 16-bit ids."""
    offsets, lengths = array.array("q"), array.array("i")
    place = 0
    with open(f"{prefix}.bin", "wb") as file:
        for sentence in sentences:
            offsets.append(place)
            lengths.append(len(sentence))
            place += 2 * len(sentence)
            file.write(array.array("H", sentence).tobytes())
    with open(f"{prefix}.idx", "wb") as file:
        file.write(MAGIC + HEADER.pack(1, 8, len(lengths)) + lengths.tobytes() + offsets.tobytes())


def make_folder(folder, vocabulary, source_lengths, target_lengths, seed=1):
    """Writes a data folder of random ids in sentences of the given lengths, which is enough for a speed race.

    The frequency of ids falls with their rank, like that of words.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    words = vocabulary - SPECIAL_SYMBOLS
    for language in ("en", "de"):
        with open(folder / f"dict.{language}.txt", "w") as file:
            file.writelines(f"w{rank} {words - rank}\n" for rank in range(words))
    draw = random.Random(seed)
    for language, lengths in (("en", source_lengths), ("de", target_lengths)):
        sentences = [[int(words ** draw.random()) + SPECIAL_SYMBOLS - 1 for _ in range(length - 1)] + [EOS]
                     for length in lengths]
        write_sentences(folder / f"train.en-de.{language}", sentences)
        write_sentences(folder / f"valid.en-de.{language}", sentences[:7])
        write_sentences(folder / f"test.en-de.{language}", sentences[:64])
