#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/score/report/score_report.h"

namespace phraseq {

/// The losses of a split, or of a part of it, in nats per target token.
struct PHRASEQ_API ValidationLosses {
  double loss = 0;
  double nll_loss = 0;
  int64_t tokens = 0;
  int64_t sentences = 0;
  std::map<std::string, double> extras = {};  ///< the criterion's own sums: "NAME_per_token"

  double ppl() const;
  /// {"loss", "nll_loss", "ppl", "tokens", "sentences", the extras}
  nlohmann::json to_json() const;
};

/// The result for one part of a split (a language pair).
struct ValidationPart {
  ValidationLosses losses;
  std::optional<double> score = {};  ///< set if the text was translated
};

/// The result of validating a split.
struct PHRASEQ_API ValidationResult {
  std::string subset;
  ValidationLosses losses;
  /// Set if the text was translated, unless the loss is not finite: such a model cannot translate.
  std::optional<phraseq::score::Score> score = {};
  std::map<std::string, ValidationPart> parts = {};  ///< by name; empty for a split of one part

  /// {"subset", the losses, and with a score "score", "score_name", "score_text", "signature"}; if
  /// the split has several parts, "parts" holds the losses and the score of each by its name.
  nlohmann::json to_json() const;
};

/// " | loss 5.123 | nll_loss 4.567 (base 2) | ppl 23.70"; numbers that are not finite are left out.
PHRASEQ_API std::string losses_text(const ValidationLosses& losses);

/// " | accuracy 0.4907", or "" if the criterion does not report it.
PHRASEQ_API std::string accuracy_text(const ValidationLosses& losses);

/// A line for each part of the result, losses in base 2; "" for a result without parts.
PHRASEQ_API std::string part_lines(const ValidationResult& result);

}  // namespace phraseq
