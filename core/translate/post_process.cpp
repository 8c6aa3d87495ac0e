#include "core/translate/post_process.h"

#include "core/base/text_fields.h"
#include "core/text/replace_all.h"

namespace phraseq {
namespace {

/// Joins the symbols into words that begin or end where `mark` occurs.
std::string join_at(std::string_view symbols, std::string_view mark) {
  const std::string text = replace_all(replace_all(std::string(symbols), " ", ""), mark, " ");
  return std::string(trimmed(text, " "));
}

std::string join_continued(std::string_view symbols) {
  std::string joined = replace_all(std::string(symbols) + ' ', "@@ ", "");
  joined.erase(joined.find_last_not_of(' ') + 1);
  return joined;
}

}  // namespace

std::string post_process(std::string_view symbols, PostProcess how) {
  switch (how) {
    case PostProcess::kSubwordNmt:
      return join_continued(symbols);
    case PostProcess::kSentencePiece:
      return join_at(symbols, "\u2581");
    case PostProcess::kWordPiece:
      return join_at(symbols, "_");
    case PostProcess::kLetter:
      return join_at(symbols, "|");
    case PostProcess::kEndOfWord:
      return join_at(symbols, "_EOW");
    case PostProcess::kNotGiven:
    case PostProcess::kNone:
      break;
  }
  return std::string(symbols);
}

std::string post_process_text(std::string_view text, std::string_view symbols, PostProcess how) {
  if (text == symbols)
    return post_process(symbols, how);
  return how == PostProcess::kSubwordNmt ? post_process(text, how) : std::string(text);
}

}  // namespace phraseq
