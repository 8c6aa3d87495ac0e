#include "plugins/architectures/phrasal_attention/ngrams.h"

#include <charconv>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::phrasal {
namespace {

int64_t number_of(std::string_view part, std::string_view text) {
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (failure != std::errc() || end != part.data() + part.size() || number < 0) {
    throw UsageError(
        fmt::format("--pa-ngrams '{}' is neither digits nor numbers with commas", text),
        "44 = 4 heads with n=1 and 4 with n=2; 12 = n-grams of 1 and 2; 10,6 from 10 up");
  }
  return number;
}

}  // namespace

std::vector<int64_t> parse_ngrams(std::string_view text) {
  const bool commas = text.find(',') != std::string_view::npos;
  std::vector<int64_t> numbers;
  for (size_t first = 0; first <= text.size();) {
    const size_t last = commas ? std::min(text.find(',', first), text.size()) : first + 1;
    if (!commas && first == text.size())
      break;
    numbers.push_back(number_of(text.substr(first, last - first), text));
    first = commas ? last + 1 : last;
  }
  return numbers;
}

}  // namespace phraseq::phrasal
