#pragma once

// What the golden.json files of rnnsearch and phrasenet have in common.

#include <nlohmann/json.hpp>

#include "core/nn/recurrent/recurrent_options.h"
#include "core/options/enum_name.h"

namespace phraseq::testing_support {

/// Sets the recurrent options in a variant's `options` and in the file's `sizes`.
inline void set_recurrent_options(nn::RecurrentOptions& options,
                                  const nlohmann::json& o,
                                  const nlohmann::json& sizes) {
  options.embed_dim = sizes["embedding"];
  options.hidden = sizes["hidden"];
  options.coverage_dim = sizes["coverage_dim"];
  options.coverage = enum_value(nn::kCoverageModelNames, o["coverage"].get<std::string>()).value();
  options.coverage_gate = o["coverage_gate"];
  options.fertility = o["fertility"];
  options.decoder_cell =
      enum_value(nn::kDecoderCellNames, o["decoder_cell"].get<std::string>()).value();
  options.readout_state =
      enum_value(nn::kReadoutStateNames, o["readout_state"].get<std::string>()).value();
}

}  // namespace phraseq::testing_support
