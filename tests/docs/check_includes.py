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
LEAST_SOURCES = 500  # with fewer, the sources were not found
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)
NAMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range "
                 "fill fill_n find find_if find_if_not for_each generate includes is_sorted lexicographical_compare "
                 "lower_bound max max_element merge min min_element minmax minmax_element mismatch next_permutation "
                 "none_of nth_element partial_sort partition pop_heap push_heap remove remove_if replace replace_if "
                 "reverse rotate search set_difference set_intersection shuffle sort stable_partition stable_sort "
                 "transform unique upper_bound",
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": "atomic",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_width countr_zero rotl rotr",
    "cctype": "isalnum islower isspace isupper tolower toupper",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "clocale": "setlocale",
    "cmath": "abs ceil copysign cos erf exp exp2 fabs floor fmod frexp hypot isfinite isinf isnan ldexp lgamma llround log "
             "log10 log1p log2 lround nan nanf nearbyint nextafter pow round signbit sin sqrt tanh",
    "condition_variable": "condition_variable condition_variable_any",
    "csignal": "raise sig_atomic_t signal",
    "cstdio": "FILE fclose ferror fflush fopen fprintf fputs fread freopen fwrite puts snprintf sscanf",
    "cstdlib": "_Exit abort atexit atoi exit free getenv malloc quick_exit strtod strtol strtoll strtoull system",
    "cstring": "memchr memcmp memcpy memmove memset strcmp strerror strlen",
    "deque": "deque",
    "exception": "current_exception exception_ptr make_exception_ptr rethrow_exception uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": "equal_to function greater greater_equal less not_fn plus",
    "future": "async future packaged_task promise",
    "iostream": "cerr cin cout",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock",
    "new": "bad_alloc",
    "numeric": "accumulate adjacent_difference gcd inner_product iota lcm partial_sum reduce transform_reduce",
    "optional": "nullopt optional",
    "queue": "priority_queue",
    "random": "minstd_rand mt19937 mt19937_64 random_device uniform_int_distribution",
    "regex": "regex regex_match regex_replace regex_search smatch sregex_iterator sregex_token_iterator",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "string": "getline stod stoi stol stoll stoul stoull u32string",
    "thread": "jthread this_thread thread",
    "tuple": "make_tuple tie tuple",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "variant": "get_if holds_alternative variant visit",
}
HEADERS = {name: header for header, names in NAMES.items() for name in names.split()}
ALSO_IN = {"abs": "cstdlib"}  # for integers
USE = re.compile(r"\bstd::(?:ranges::)?(\w+)\b(?!::\w)|\bstd::(chrono|filesystem|this_thread)::")


@functools.cache
def source(path):
    return (ROOT / path).read_text(encoding="utf-8")


@functools.cache
def includes_of(path):
    """What a file includes itself or through headers of this tree."""
    found = set(INCLUDE.findall(source(path)))
    for header in [name for name in found if (ROOT / name).is_file()]:
        found |= includes_of(header)
    return frozenset(found)


def missing_in(path):
    """The names that a file uses without including their header, with that header."""
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
