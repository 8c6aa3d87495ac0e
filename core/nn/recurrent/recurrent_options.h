#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The switches of RNNsearch (Bahdanau et al. 2015, as dl4mt has it) and of its coverage (Tu et al.
/// 2016); the defaults are those of Tang et al. 2016.
struct PHRASEQ_API RecurrentOptions : Options {
  int64_t embed_dim = 620;
  int64_t hidden = 1000;
  double dropout = 0.0;  ///< on the readout
  std::string decoder_cell = "gru";
  std::string readout_state = "new";
  std::string coverage = "neural";
  int64_t coverage_dim = 10;
  bool coverage_gate = true;
  double fertility = 0.0;
  double init_deviation = 0.01;
  int64_t max_source_positions = 1024;
  int64_t max_target_positions = 1024;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  bool two_cells() const { return decoder_cell == "cgru"; }
  bool has_coverage() const { return coverage != "none"; }
  bool linguistic() const { return coverage == "linguistic"; }
  /// Values of coverage at each source token.
  int64_t coverage_width() const { return linguistic() ? 1 : coverage_dim; }
};

}  // namespace phraseq::nn
