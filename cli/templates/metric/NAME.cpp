#include "@name@.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace @name@_plugin {

phraseq::MetricScore ExactMatch::score(
    const std::vector<std::string>& hypotheses,
    const std::vector<std::vector<std::string>>& references) const {
  for (const auto& stream : references) {
    if (stream.size() != hypotheses.size()) {
      throw phraseq::DataError(
          fmt::format("{} hypotheses, but {} references", hypotheses.size(), stream.size()));
    }
  }
  size_t equal = 0;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    bool matches = false;
    for (const auto& stream : references) matches = matches || stream[i] == hypotheses[i];
    equal += matches ? 1 : 0;
  }
  const double value = hypotheses.empty() ? 0.0
                                          : 100.0 * static_cast<double>(equal) /
                                                static_cast<double>(hypotheses.size());
  return {"@name@",
          value,
          fmt::format("@name@ = {:.2f} ({} of {})", value, equal, hypotheses.size()),
          fmt::format("nrefs:{}", references.size())};
}

}  // namespace @name@_plugin
