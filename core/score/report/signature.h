#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/score/metrics/metric.h"

namespace phraseq::score {

/// "phraseq-0.1.0~sacrebleu-2.6.0": the program that computed a score, and
/// the version of sacrebleu whose rules it follows.
PHRASEQ_API std::string scorer_version();

/// The parts of a signature besides the metric's own settings.
struct SignatureContext {
  size_t references = 1;
  std::optional<int64_t> bootstrap;      ///< resamples
  std::optional<int64_t> randomization;  ///< trials
  std::string seed;                      ///< empty if nothing was drawn
  std::string version = scorer_version();
};

/// The fields in sacrebleu's order: nrefs, bs, ar, seed, the metric's, version; fields without a
/// value are left out.
PHRASEQ_API std::vector<SignatureField> signature_fields(const Metric& metric,
                                                         const SignatureContext& context);

/// The text of a signature: "nrefs:1|case:mixed|…" or, in its short form, "#:1|c:mixed|…".
PHRASEQ_API std::string format_signature(const std::vector<SignatureField>& fields,
                                         bool short_form);

}  // namespace phraseq::score
