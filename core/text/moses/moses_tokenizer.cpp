#include "core/text/moses/moses_tokenizer.h"

#include <algorithm>
#include <set>
#include <vector>

#include "core/text/moses/character_set.h"
#include "core/text/moses/text_rules.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using moses::CharacterClass;
using moses::CharacterSet;
using moses::Text;
using moses::View;

constexpr std::string_view kNumericOnly = " #NUMERIC_ONLY#";

std::vector<CharacterClass> with_cjk(CharacterClass base, const std::string& language) {
  std::vector<CharacterClass> classes = {base};
  if (language == "ko" || language == "cjk")
    classes.push_back(CharacterClass::kHangul);
  if (language == "zh" || language == "ja" || language == "cjk")
    classes.push_back(CharacterClass::kHan);
  if (language == "ja" || language == "cjk")
    classes.push_back(CharacterClass::kKana);
  return classes;
}

std::string_view prefix_lines(std::string_view language) {
  std::string_view english;
  for (const auto& entry : moses::nonbreaking_prefixes()) {
    if (entry.language == language)
      return entry.lines;
    if (entry.language == "en")
      english = entry.lines;
  }
  return english;
}

/// Puts blanks around every character outside `alnum` that is not whitespace, a period, a comma, a
/// hyphen or an apostrophe.
Text separate_others(View text, const CharacterSet& alnum) {
  constexpr View kKept = U".'`,-";
  Text result;
  for (const char32_t character : text) {
    const bool kept =
        alnum.has(character) || is_space(character) || kKept.find(character) != View::npos;
    if (!kept)
      result += U' ';
    result += character;
    if (!kept)
      result += U' ';
  }
  return result;
}

Text split_dashes(View text, const CharacterSet& alnum) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool splits = text[i] == U'-' && i > 0 && i + 1 < text.size() && alnum.has(text[i - 1]) &&
                        alnum.has(text[i + 1]);
    if (splits) {
      result += U" @-@ ";
    } else {
      result += text[i];
    }
  }
  return result;
}

constexpr View kMultipleDots = U"DOTMULTI.";

/// The first of several dots becomes " DOTMULTI"; the others do not change.
Text mark_multiple_dots(View text) {
  Text marked;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = text[i] == U'.' && i + 1 < text.size() && text[i + 1] == U'.' &&
                        (i == 0 || text[i - 1] != U'.');
    if (begins) {
      marked += U" DOTMULTI";
    } else {
      marked += text[i];
    }
  }
  return marked;
}

/// "DOTMULTI.x" becomes "DOTDOTMULTI x", where x is any character except a dot.
Text hide_last_dots(const Text& marked) {
  Text hidden;
  size_t begin = 0;
  for (size_t found = marked.find(kMultipleDots); found != Text::npos;
       found = marked.find(kMultipleDots, begin)) {
    const size_t after = found + kMultipleDots.size();
    const bool last = after < marked.size() && marked[after] != U'.';
    hidden += marked.substr(begin, found - begin);
    hidden += last ? View(U"DOTDOTMULTI ") : kMultipleDots;
    begin = after;
    if (last)
      hidden += marked[begin++];
  }
  return hidden + marked.substr(begin);
}

/// "..." becomes " DOTDOTDOTMULTI", which later rules do not split.
Text hide_multiple_dots(View text) {
  Text hidden = mark_multiple_dots(text);
  while (hidden.find(kMultipleDots) != Text::npos)
    hidden = moses::replace_all(hide_last_dots(hidden), kMultipleDots, U"DOTDOTMULTI");
  return hidden;
}

Text show_multiple_dots(Text text) {
  while (text.find(U"DOTDOTMULTI") != Text::npos)
    text = moses::replace_all(text, U"DOTDOTMULTI", U"DOTMULTI.");
  return moses::replace_all(text, U"DOTMULTI", U".");
}

/// Separates commas, except those between digits.
Text separate_commas(View text, const CharacterSet& number) {
  Text after;  // commas after a non-digit
  for (size_t i = 0; i < text.size(); ++i) {
    after += text[i];
    if (!number.has(text[i]) && i + 1 < text.size() && text[i + 1] == U',') {
      after += U" , ";
      ++i;
    }
  }
  Text before;  // commas before a non-digit
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] == U',' && i + 1 < after.size() && !number.has(after[i + 1])) {
      before += U" , ";
      before += after[++i];
    } else {
      before += after[i];
    }
  }
  if (before.size() >= 2 && before.back() == U',' && number.has(before[before.size() - 2])) {
    before.pop_back();
    before += U" , ";
  }
  return before;
}

/// Replaces the apostrophe between two characters, from the left without overlaps.
template <class Left, class Right>
Text replace_apostrophes(View text, Left left, Right right, View with) {
  Text result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (i + 2 < text.size() && text[i + 1] == U'\'' && left(text[i]) && right(text[i + 2])) {
      result += with;
      result += text[i + 2];
      i += 2;
    }
  }
  return result;
}

constexpr std::pair<View, View> kEscapes[] = {{U"&", U"&amp;"},
                                              {U"|", U"&#124;"},
                                              {U"<", U"&lt;"},
                                              {U">", U"&gt;"},
                                              {U"'", U"&apos;"},
                                              {U"\"", U"&quot;"},
                                              {U"[", U"&#91;"},
                                              {U"]", U"&#93;"}};

}  // namespace

struct MosesTokenizer::Rules {
  Rules(std::string the_language, MosesSettings the_settings)
      : language(std::move(the_language)),
        settings(the_settings),
        alnum(with_cjk(CharacterClass::kAlnum, language)),
        any_alpha(with_cjk(CharacterClass::kAlpha, language)) {
    for (const std::string_view line : split_lines(prefix_lines(language))) {
      if (line.ends_with(kNumericOnly)) {
        numeric_only.insert(to_code_points(line.substr(0, line.size() - kNumericOnly.size())));
      } else {
        nonbreaking.insert(to_code_points(line));
      }
    }
  }

  static std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
  }

  Text separate_apostrophes(const Text& text) const;
  bool keeps_period(const Text& prefix, const std::vector<Text>& words, size_t place) const;
  Text separate_periods(const Text& text) const;

  std::string language;
  MosesSettings settings;
  CharacterSet alnum, any_alpha;
  CharacterSet alpha{{CharacterClass::kAlpha}};
  CharacterSet number{{CharacterClass::kNumber}};
  CharacterSet lower{{CharacterClass::kLower}};
  std::set<Text> nonbreaking, numeric_only;
};

Text MosesTokenizer::Rules::separate_apostrophes(const Text& text) const {
  const auto is_alpha = [&](char32_t c) { return alpha.has(c); };
  const auto no_alpha = [&](char32_t c) { return !alpha.has(c); };
  const auto no_alnum = [&](char32_t c) { return !alpha.has(c) && !number.has(c); };
  const auto is_number = [&](char32_t c) { return number.has(c); };
  const auto is_s = [](char32_t c) { return c == U's'; };
  const bool english = language == "en";
  if (!english && language != "fr" && language != "it")
    return moses::replace_all(text, U"'", U" ' ");
  Text separated = replace_apostrophes(text, no_alpha, no_alpha, U" ' ");
  separated = english ? replace_apostrophes(separated, no_alnum, is_alpha, U" ' ")
                      : replace_apostrophes(separated, no_alpha, is_alpha, U" ' ");
  separated = replace_apostrophes(separated, is_alpha, no_alpha, U" ' ");
  separated = replace_apostrophes(separated, is_alpha, is_alpha, english ? U" '" : U"' ");
  return english ? replace_apostrophes(separated, is_number, is_s, U" '") : separated;
}

/// Whether a word "prefix." does not end a sentence.
bool MosesTokenizer::Rules::keeps_period(const Text& prefix,
                                         const std::vector<Text>& words,
                                         size_t place) const {
  const bool has_next = place + 1 < words.size();
  const auto is_alpha = [&](char32_t c) { return any_alpha.has(c); };
  if (prefix.find(U'.') != Text::npos && std::any_of(prefix.begin(), prefix.end(), is_alpha))
    return true;
  if (numeric_only.count(prefix) > 0) {
    const char32_t next = has_next ? words[place + 1].front() : U'\0';
    return (next >= U'0' && next <= U'9') || (has_next && lower.has(next));
  }
  return nonbreaking.count(prefix) > 0 || (has_next && lower.has(words[place + 1].front()));
}

Text MosesTokenizer::Rules::separate_periods(const Text& text) const {
  const std::vector<Text> words = moses::split(text);
  std::vector<Text> separated = words;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i].back() != U'.')
      continue;
    const Text prefix = words[i].substr(0, words[i].size() - 1);
    if (!keeps_period(prefix, words, i))
      separated[i] = prefix + U" .";
  }
  return moses::join(separated);
}

MosesTokenizer::MosesTokenizer(const std::string& language, MosesSettings settings)
    : rules_(std::make_unique<const Rules>(language, settings)) {}

MosesTokenizer::~MosesTokenizer() = default;

std::string MosesTokenizer::tokenize(std::string_view line) const {
  Text text = moses::single_blanks(to_code_points(line));
  std::erase_if(text, [](char32_t character) { return character < U' '; });
  text = separate_others(moses::single_blanks(text), rules_->alnum);
  if (rules_->settings.dash_splits)
    text = split_dashes(text, rules_->alnum);
  text = separate_commas(hide_multiple_dots(text), rules_->number);
  text = rules_->separate_periods(rules_->separate_apostrophes(text));
  if (text.ends_with(U".'"))
    text.replace(text.size() - 2, 2, U" . ' ");
  text = show_multiple_dots(std::move(text));
  if (rules_->settings.escape)
    text = moses::replace_each(std::move(text), {std::begin(kEscapes), std::end(kEscapes)});
  return moses::to_utf8(text);
}

}  // namespace phraseq
