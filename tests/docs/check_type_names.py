#!/usr/bin/env python3
"""Finds classes, structs, unions and enums that two files define with one qualified name. Exit code 1 if there are any.

The linker treats them as one type and keeps the functions of either file without a warning (C++'s one-definition rule).
Types in anonymous namespaces and in functions belong to their file. Only the first part of an #if is read.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ["core", "plugins", "tasks", "criterions", "cli", "tests"]
LEAST_TYPES = 500  # with fewer, the sources were not found
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:\\\n|[^\n])*", re.MULTILINE)
TOKEN = re.compile(r"\w+|::|[{}();<>=:,\[\]]")
TYPE_WORDS = {"class", "struct", "union", "enum"}
ANONYMOUS, BLOCK = "(anonymous)", "(block)"


def without_else(text):
    """The text without directives and without the parts after #else or #elif."""
    kept, begin, skipped = [], 0, []  # skipped: for each open #if, whether its first part has ended
    for directive in DIRECTIVE.finditer(text):
        if not any(skipped):
            kept.append(text[begin:directive.start()])
        word, begin = directive[1], directive.end()
        if word.startswith("if"):
            skipped.append(False)
        elif word.startswith("el"):
            skipped[-1] = True
        elif word == "endif":
            skipped.pop()
    return "".join(kept) + text[begin:]


def after_brackets(tokens, at, opening, closing):
    """The position after the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] == opening) - (tokens[at] == closing)
        at += 1
        if depth == 0:
            break
    return at


def type_name(tokens):
    """The name of the type that `tokens {` begins to define, with the arguments of a specialization; None for others."""
    at = 0
    while at < len(tokens) and tokens[at] == "template":
        at = after_brackets(tokens, at + 1, "<", ">")
    if at == len(tokens) or tokens[at] not in TYPE_WORDS:
        return None
    name = []
    while at < len(tokens) and tokens[at] not in (":", "final"):
        if tokens[at] in ("[", "("):  # an attribute, or what alignas takes
            at = after_brackets(tokens, at, tokens[at], "]" if tokens[at] == "[" else ")")
            name = []
        elif tokens[at] == "<":
            end = after_brackets(tokens, at, "<", ">")
            name.append("".join(tokens[at:end]))
            at = end
        elif tokens[at] == "=":
            return None
        else:
            is_qualified = tokens[at] == "::" or (name and name[-1] == "::")
            name = name + [tokens[at]] if is_qualified else [tokens[at]]  # before it: a macro
            at += 1
    return "".join(name) or ANONYMOUS


def scope_of(tokens):
    """What `tokens {` opens: the name of a namespace or type, "" for what is not a scope, or BLOCK."""
    while tokens[1:2] == [":"]:  # public:
        tokens = tokens[2:]
    if "namespace" in tokens:
        return "".join(tokens[tokens.index("namespace") + 1:]) or ANONYMOUS
    return "" if tokens == ["extern"] else type_name(tokens) or BLOCK


def types_of(text):
    """Qualified names of the types that a source defines for others to see."""
    scopes, statement = [], []
    for token in TOKEN.findall(without_else(IGNORED.sub(" ", text))):
        if token == "{":
            scopes.append(scope_of(statement))
            if "namespace" not in statement and not {"", ANONYMOUS, BLOCK} & set(scopes[-1:]):
                if ANONYMOUS not in scopes and BLOCK not in scopes:
                    yield "::".join(scope for scope in scopes if scope)
        elif token == "}" and scopes:
            scopes.pop()
        statement = [] if token in "{};" else statement + [token]


def program_of(path):
    """The program of a file, as types of different programs never meet, unlike those of libraries and plugins."""
    parts = path.parts
    if parts[0] == "tests":
        return "/".join(parts[:3 if parts[1] == "core" else 2])
    return path.stem if parts[0] == "cli" and path.suffix == ".cpp" else ""


EXAMPLE = """
namespace a::b {
class Declared;
template <typename T> struct PHRASEQ_API Plain final : Base<T> { public: enum class Kind : int { kOne }; };
struct alignas(64) Plain<int> { int values[2] = {1, 2}; };
#if X
namespace { struct Hidden {}; }
#else
struct Other {};
#endif
void run() { struct Local {}; }  // struct Comment {}
}
"""


def main():
    assert list(types_of(EXAMPLE)) == ["a::b::Plain", "a::b::Plain::Kind", "a::b::Plain<int>"]
    places = collections.defaultdict(set)
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")):
        place = path.relative_to(ROOT)
        for name in types_of("" if "templates" in place.parts else path.read_text(encoding="utf-8")):
            places[program_of(place), name].add(str(place))
    assert len(places) > LEAST_TYPES, places.keys()
    clashes = [(name, sorted(files)) for (_, name), files in sorted(places.items()) if len(files) > 1]
    for name, files in clashes:
        print(f"{name} is defined in {' and in '.join(files)}: rename one, or put it into an anonymous namespace")
    return 1 if clashes else 0


sys.exit(main())
