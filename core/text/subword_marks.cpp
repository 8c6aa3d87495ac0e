#include "core/text/subword_marks.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr double kShare = 0.01;
constexpr int64_t kFewTokens = 3;

double percent(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The text for a warning: "of 120 tokens 14.2 % end with @@".
std::string text_of(const SubwordMarks& marks) {
  return marks.ended >= marks.begun ? fmt::format("of {} tokens {:.1f} % end with @@",
                                                  marks.tokens,
                                                  percent(marks.ended, marks.tokens))
                                    : fmt::format("of {} tokens {:.1f} % begin with U+2581",
                                                  marks.tokens,
                                                  percent(marks.begun, marks.tokens));
}

}  // namespace

bool SubwordMarks::is_segmented() const {
  const int64_t marked = begun + ended;
  return static_cast<double>(marked) >= kShare * static_cast<double>(tokens) &&
         (marked >= kFewTokens || (marked > 0 && 2 * marked >= tokens));
}

SubwordMarks count_subword_marks(std::string_view line) {
  SubwordMarks marks;
  for (const std::string_view token : split_whitespace(line)) {
    ++marks.tokens;
    if (token.starts_with("\u2581"))
      ++marks.begun;
    else if (token.ends_with("@@"))
      ++marks.ended;
  }
  return marks;
}

SubwordMarks count_subword_marks(const std::vector<std::string>& lines) {
  SubwordMarks all;
  for (const std::string& line : lines) {
    const SubwordMarks marks = count_subword_marks(line);
    all.tokens += marks.tokens;
    all.begun += marks.begun;
    all.ended += marks.ended;
  }
  return all;
}

void SubwordDetector::observe(std::string_view line) {
  if (has_warned_)
    return;
  const SubwordMarks marks = count_subword_marks(line);
  const SubwordMarks all{tokens_ += marks.tokens, begun_ += marks.begun, ended_ += marks.ended};
  if (marks.begun + marks.ended == 0 || !all.is_segmented() || has_warned_.exchange(true))
    return;
  log_warning(fmt::format(
      "[{}] the text appears to be segmented into subwords already: {}. The subword model segments "
      "it again. Join the subwords first, for example with sed -r 's/@@( |$)//g' or spm_decode",
      language_,
      text_of(all)));
}

void warn_of_subwords(const std::vector<std::string>& lines, std::string_view option) {
  const SubwordMarks all = count_subword_marks(lines);
  if (!all.is_segmented())
    return;
  log_warning(fmt::format("the score is computed on subwords: {} in the references. Give {}",
                          text_of(all),
                          all.ended >= all.begun ? fmt::format("{} subword_nmt", option)
                                                 : fmt::format("{} sentencepiece", option)));
}

}  // namespace phraseq
