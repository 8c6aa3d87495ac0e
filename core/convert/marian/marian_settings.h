#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// A Marian model as `special:model.yml` describes it.
struct MarianSettings {
  /// `transformer`, or `ssru_transformer` for a decoder with recurrent units (SSRU).
  std::string architecture = "transformer";
  nlohmann::json options;  ///< of the architecture
  bool tied_all = false;   ///< one matrix "Wemb" for source, target and output
  bool tied_src = false;   ///< one matrix "Wemb" for source and target
  bool tied_output = false;
  bool has_output_bias = true;
  /// For each decoder layer, the number, from 1, of the layer whose parameters it uses.
  std::vector<int64_t> decoder_layers;

  bool is_recurrent() const { return architecture == "ssru_transformer"; }
};

/// Reads the settings. Throws FormatError for missing or impossible sizes, and a UsageError that
/// lists every setting without a counterpart.
PHRASEQ_API MarianSettings marian_settings_of(const nlohmann::json& model_yml,
                                              const std::string& path);

/// Marian's layer norm has this epsilon (src/layers/generic.h).
inline constexpr double kMarianNormEpsilon = 1e-6;

}  // namespace phraseq
