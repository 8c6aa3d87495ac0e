#!/usr/bin/env python3
"""Writes version1.safetensors (of phraseq 0.1.0) and version1_current.safetensors (of the version in CMakeLists.txt) from
docs/formats/checkpoint.md alone, without any code of phraseq.

    python3 make_version1.py        (standard library only)
"""
import json
import pathlib
import re
import struct


def crc32c(data: bytes) -> str:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return f"{crc ^ 0xFFFFFFFF:08x}"


assert crc32c(b"123456789") == "e3069283"

old_tensors = {  # wider elements first, then by name
    "encoder.weight": ("F32", [3, 1], struct.pack("<3f", 0.5, -1, 2)),
    "blob.source_tokenizer": ("U8", [2], bytes([0, 255])),
}
tensors = {"blob.target_tokenizer": ("U8", [64], bytes(range(64))), **old_tensors}  # multiples of 64 bytes before others


def compact(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def header(version: str, tensors: dict, alignment: int, checksum: str) -> bytes:
    entries, offset = {}, 0
    for name, (dtype, shape, content) in tensors.items():
        entries[name] = {"data_offsets": [offset, offset + len(content)], "dtype": dtype, "shape": shape}
        offset += len(content)
    metadata = {
        "phraseq.crc32c": compact({name: crc32c(content) for name, (_, _, content) in tensors.items()}),
        "phraseq.format_version": "1",
        "phraseq.header_crc32c": checksum,
        "phraseq.version": version,
        "task_texts": compact({"source_language": "en"}),
    }
    text = compact({"__metadata__": metadata, **entries}).encode()
    text += b" " * (-(8 + len(text)) % alignment)
    return struct.pack("<Q", len(text)) + text


def write(name: str, version: str, tensors: dict, alignment: int):
    checksum = crc32c(header(version, tensors, alignment, "00000000"))
    data = b"".join(content for _, _, content in tensors.values())
    (folder / f"{name}.safetensors").write_bytes(header(version, tensors, alignment, checksum) + data)
    print(name, version, checksum)


folder = pathlib.Path(__file__).parent
project = (folder / "../../../CMakeLists.txt").read_text()
write("version1", "0.1.0", old_tensors, 8)
write("version1_current", re.search(r"project\(phraseq VERSION ([0-9.]+)", project).group(1), tensors, 64)
