#include "core/translate/post_process.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

namespace {

std::string replace_all(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  size_t begin = 0;
  for (size_t found = text.find(what); found != std::string_view::npos;
       found = text.find(what, begin)) {
    result += text.substr(begin, found - begin);
    result += with;
    begin = found + what.size();
  }
  return result += text.substr(begin);
}

std::string strip(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The symbols joined, with `mark` where a word begins or ends.
std::string join_at(std::string_view symbols, std::string_view mark) {
  return strip(replace_all(replace_all(symbols, " ", ""), mark, " "));
}

std::string join_continued(std::string_view symbols) {
  std::string joined = replace_all(std::string(symbols) + ' ', "@@ ", "");
  joined.erase(joined.find_last_not_of(' ') + 1);
  return joined;
}

}  // namespace

std::string post_process(std::string_view symbols, std::string_view how) {
  if (how.empty() || how == "none")
    return std::string(symbols);
  if (how == "subword_nmt" || how == "@@ " || how == "@@")
    return join_continued(symbols);
  if (how == "sentencepiece")
    return join_at(symbols, "\u2581");
  if (how == "wordpiece")
    return join_at(symbols, "_");
  if (how == "letter")
    return join_at(symbols, "|");
  if (how == "_EOW")
    return join_at(symbols, "_EOW");
  throw UsageError(fmt::format("--remove-bpe {}: unknown", how),
                   "known: subword_nmt, sentencepiece, wordpiece, letter, _EOW, none");
}

std::string post_process_text(std::string_view text,
                              std::string_view symbols,
                              std::string_view how) {
  if (text == symbols)
    return post_process(symbols, how);
  const bool joins_marked_subwords = post_process("a@@ b", how) == "ab";
  return joins_marked_subwords ? post_process(text, how) : std::string(text);
}

}  // namespace phraseq
