#include "plugins/architectures/phrasal_attention/ngrams.h"

#include <charconv>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq::phrasal {
namespace {

constexpr int64_t kMaxNumber = 65536;
constexpr const char* kForms =
    "44: 4 heads with n=1 and 4 with n=2. 12: n-grams of 1 and 2. 10,6: for 10 or more heads. "
    "44/22: different values for encoder and decoder.";

int64_t number_of(std::string_view part, std::string_view text) {
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), number);
  const bool whole = !part.empty() && end == part.data() + part.size();
  const bool overflows = failure == std::errc::result_out_of_range;
  if (!whole || number < 0 || (failure != std::errc() && !overflows)) {
    throw UsageError(
        fmt::format("--pa-ngrams '{}' is neither a string of digits nor a list of numbers", text),
        kForms);
  }
  if (overflows || number > kMaxNumber) {
    throw UsageError(
        fmt::format("--pa-ngrams '{}': {} is out of range, expected 0 to {} (n-grams have at "
                    "most {} words)",
                    text,
                    part,
                    kMaxNumber,
                    kLongestNgram),
        kForms);
  }
  return number;
}

}  // namespace

std::string_view ngrams_part(std::string_view text, Stack stack) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    return text;
  return stack == Stack::kEncoder ? text.substr(0, slash) : text.substr(slash + 1);
}

std::vector<int64_t> parse_ngrams(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.empty() || text.find(',') != std::string_view::npos) {
    parts = split_text(text, ",");
  } else {
    for (size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
  }
  std::vector<int64_t> numbers;
  for (const std::string_view part : parts) numbers.push_back(number_of(part, text));
  return numbers;
}

}  // namespace phraseq::phrasal
