#include "@name@.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace @name@_plugin {

std::string ExactMatch::prepare(std::string_view text) const {
  return settings_.ignore_case ? phraseq::to_lowercase(text) : std::string(text);
}

void ExactMatch::measure(std::string_view hypothesis,
                         std::span<const std::string_view> references,
                         std::span<double> row) const {
  const std::string text = prepare(hypothesis);
  const bool equal = std::any_of(references.begin(),
                                 references.end(),
                                 [&](std::string_view line) { return prepare(line) == text; });
  row[0] = equal ? 1 : 0;
  row[1] = 1;
}

double ExactMatch::score(std::span<const double> sums) const {
  return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0;
}

std::string ExactMatch::detail(std::span<const double> sums) const {
  return fmt::format("({:.0f} of {:.0f})", sums[0], sums[1]);
}

std::vector<phraseq::SignatureField> ExactMatch::signature() const {
  return {{"case", "c", settings_.ignore_case ? "lc" : "mixed"}};
}

}  // namespace @name@_plugin
