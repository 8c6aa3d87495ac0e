#!/usr/bin/env python3
"""Writes core/text/moses/moses_data.cpp: the character classes and nonbreaking prefixes of sacremoses 0.1.1.

Run:  pip install sacremoses==0.1.1 && python character_data.py > ../../../core/text/moses/moses_data.cpp
"""
from sacremoses.corpus import NonbreakingPrefixes, Perluniprops
from sacremoses.tokenize import MosesDetokenizer, MosesTokenizer

properties = Perluniprops()


def ranges(characters):
    codes = sorted({ord(c) for c in characters})
    found = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def table(name, characters):
    print(f"constexpr Range {name}[] = {{")
    line = "   "
    for first, last in ranges(characters):
        entry = f" {{{first:#x}, {last:#x}}},"
        if len(line + entry) > 98:
            print(line)
            line = "   "
        line += entry
    print(line + "};\n")


print("""// Written by tests/golden/moses/character_data.py. Do not edit.
//
// Character classes and nonbreaking prefixes of sacremoses 0.1.1, whose license is:
//
// MIT License, Copyright (c) 2018 alvations
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
// rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
// permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
// Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
// WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
// OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

#include "core/text/moses/moses_data.h"

// clang-format off
namespace phraseq::moses {
namespace {
""")
table("kAlnum", MosesTokenizer.IsAlnum)
table("kAlpha", MosesTokenizer.IsAlpha)
table("kAlphaDetokenizer", MosesDetokenizer.IsAlpha)
table("kNumber", MosesTokenizer.IsN)
table("kCurrency", MosesDetokenizer.IsSc)
table("kLower", MosesTokenizer.IsLower)
table("kHan", properties.chars("Han"))
table("kHangul", properties.chars("Hangul"))
table("kKana", list(properties.chars("Hiragana")) + list(properties.chars("Katakana")))

prefixes = NonbreakingPrefixes()
languages = sorted(set(prefixes.available_langs.values()))
print("constexpr LanguagePrefixes kPrefixes[] = {")
for language in languages:
    words = "\n".join(word.strip() for word in prefixes.words(language))
    print(f'    {{"{language}", R"--({words})--"}},')
print("""};

}  // namespace

std::span<const Range> ranges_of(CharacterClass which) {
  switch (which) {
    case CharacterClass::kAlnum:
      return kAlnum;
    case CharacterClass::kAlpha:
      return kAlpha;
    case CharacterClass::kAlphaDetokenizer:
      return kAlphaDetokenizer;
    case CharacterClass::kNumber:
      return kNumber;
    case CharacterClass::kCurrency:
      return kCurrency;
    case CharacterClass::kLower:
      return kLower;
    case CharacterClass::kHan:
      return kHan;
    case CharacterClass::kHangul:
      return kHangul;
    case CharacterClass::kKana:
      break;
  }
  return kKana;
}

std::span<const LanguagePrefixes> nonbreaking_prefixes() { return kPrefixes; }

}  // namespace phraseq::moses
// clang-format on""")
