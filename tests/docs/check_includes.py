#!/usr/bin/env python3
"""Finds sources that use the standard library without its header. Exit code 1 when there are any.

The header may come from another header of this tree, but not from one of the standard library or of a package: which
ones these include differs between versions. GCC 14 no longer includes <algorithm> in <memory>, for example.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["core", "plugins", "tasks", "criterions", "cli", "examples", "tests"]
LEAST_SOURCES = 500  # fewer: the sources were not read as they should be
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
NAMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range "
                 "fill fill_n find find_if find_if_not for_each generate includes is_sorted lexicographical_compare "
                 "lower_bound max max_element merge min min_element minmax minmax_element mismatch next_permutation "
                 "none_of nth_element partial_sort partition pop_heap push_heap remove remove_if replace replace_if "
                 "reverse rotate search set_difference set_intersection shuffle sort stable_partition stable_sort "
                 "transform unique upper_bound",
    "array": "array",
    "atomic": "atomic",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": "abs ceil exp floor fmod hypot isfinite isinf isnan ldexp llround log log10 log1p log2 lround pow round sin "
             "sqrt tanh",
    "cstdio": "fclose fopen fputs fwrite snprintf",
    "cstdlib": "_Exit abort exit getenv quick_exit strtod strtol strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strerror strlen",
    "exception": "current_exception exception_ptr rethrow_exception uncaught_exceptions",
    "fstream": "fstream ifstream ofstream",
    "functional": "function greater less",
    "iostream": "cerr cin cout",
    "limits": "numeric_limits",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex scoped_lock unique_lock",
    "numeric": "accumulate gcd inner_product iota lcm partial_sum reduce transform_reduce",
    "optional": "nullopt optional",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "thread": "this_thread thread",
    "tuple": "make_tuple tie tuple",
    "unordered_map": "unordered_map",
    "variant": "get_if holds_alternative variant visit",
}
HEADERS = {name: header for header, names in NAMES.items() for name in names.split()}
ALSO_IN = {"abs": "cstdlib"}  # of integers
USE = re.compile(r"\bstd::(?:ranges::)?(\w+)\b(?!::\w)|\bstd::(chrono|this_thread)::")


@functools.cache
def source(path):
    return (ROOT / path).read_text(encoding="utf-8")


@functools.cache
def includes_of(path):
    """What a file includes, itself or by headers of this tree."""
    found = set(INCLUDE.findall(source(path)))
    for header in [name for name in found if (ROOT / name).is_file()]:
        found |= includes_of(header)
    return frozenset(found)


def missing_in(path):
    """The names that a file uses without a header, with that header."""
    used = {first or second for first, second in USE.findall(IGNORED.sub(" ", source(path)))}
    for name in sorted(used & HEADERS.keys()):
        if not {HEADERS[name], ALSO_IN.get(name)} & includes_of(path):
            yield name, HEADERS[name]


def main():
    files = [path.relative_to(ROOT) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".h", ".cpp") and "build" not in path.parts]
    assert len(files) > LEAST_SOURCES, files
    missing = [(path, *use) for path in files for use in missing_in(str(path))]
    for path, name, header in missing:
        print(f"{path} uses std::{name}: include <{header}>")
    return 1 if missing else 0


sys.exit(main())
