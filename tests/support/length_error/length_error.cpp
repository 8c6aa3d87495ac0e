// A metric like that of an external plugin: the difference in length in percent of the reference.

#include <cmath>
#include <stdexcept>

#include "core/plugin/plugin.h"
#include "core/score/metrics/metric.h"
#include "core/text/unicode.h"

namespace {

using namespace phraseq;

struct LengthErrorOptions final : Options {
  bool characters = false;
  bool fails = false;

  void describe(OptionTable& table) override {
    table.field("length-error-characters", characters, "Count characters, not words.").harmless();
    table.field("length-error-fails", fails, "Throw at every sentence.").harmless();
  }
};

class LengthError final : public Metric {
 public:
  LengthError(const LengthErrorOptions& options, const MetricSetup& setup)
      : options_(options), setup_(setup) {}

  std::string name() const override { return "length error"; }
  bool higher_is_better() const override { return false; }
  size_t statistics() const override { return 2; }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override {
    if (options_.fails)
      throw std::runtime_error("no ruler");
    row[0] = std::abs(length(hypothesis) - length(references.front()));
    row[1] = length(references.front());
  }
  double score(std::span<const double> sums) const override {
    return sums[1] > 0 ? 100 * sums[0] / sums[1] : 0;
  }
  std::vector<SignatureField> signature() const override {
    return {{"unit", "u", options_.characters ? "characters" : "words"},
            {"level", "l", setup_.sentence_level ? "sentence" : "corpus"},
            {"lang", "la", setup_.target_language}};
  }

 private:
  double length(std::string_view text) const {
    return static_cast<double>(options_.characters ? phraseq::to_code_points(text).size()
                                                   : phraseq::split_whitespace(text).size());
  }

  LengthErrorOptions options_;
  MetricSetup setup_;
};

void register_components(Registry& registry) {
  registry.add<Metric, LengthError, LengthErrorOptions>("length_error", "Difference in length");
}

}  // namespace

PHRASEQ_PLUGIN("length_error", "0.1.0", "Difference in length", register_components)
