#pragma once

// What golden.json of rnnsearch and of phrasenet have in common.

#include <nlohmann/json.hpp>

#include "core/nn/recurrent/recurrent_options.h"

namespace phraseq::testing_support {

/// Sets the recurrent options that a variant's `options` and the file's `sizes` name.
inline void set_recurrent_options(nn::RecurrentOptions& options,
                                  const nlohmann::json& o,
                                  const nlohmann::json& sizes) {
  options.embed_dim = sizes["embedding"];
  options.hidden = sizes["hidden"];
  options.coverage_dim = sizes["coverage_dim"];
  options.coverage = o["coverage"];
  options.coverage_gate = o["coverage_gate"];
  options.fertility = o["fertility"];
  options.decoder_cell = o["decoder_cell"];
  options.readout_state = o["readout_state"];
}

}  // namespace phraseq::testing_support
