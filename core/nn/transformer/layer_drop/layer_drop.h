#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// LayerDrop of one stack (Fan et al. 2020, "Reducing Transformer Depth on Demand with Structured
/// Dropout"), with fairseq's options: in training, a pass leaves every layer out with a
/// probability; a model trained so can later be used with a part of its layers.
struct PHRASEQ_API LayerDrop {
  double probability = 0.0;
  std::string layers_to_keep;  ///< "0,2,4": the layers that exist, from 0; empty = all

  void describe(OptionTable& table, const std::string& stack);
  /// Appends what is wrong for a stack of so many layers.
  void check(std::vector<std::string>& found, const std::string& stack, int64_t layers) const;

  /// The numbers of the layers that exist, ascending. They keep their numbers among all, and
  /// so the names of their parameters.
  std::vector<int64_t> kept(int64_t layers) const;
  /// Whether a parameter of the stack belongs to a layer that does not exist.
  bool leaves_out(const std::string& parameter, const std::string& stack, int64_t layers) const;
  /// Which of `layers` layers a pass computes. Draws one key of the context; none, and all layers,
  /// with probability 0 or when the pass does not train.
  std::vector<bool> of_pass(size_t layers, Context& context) const;
};

}  // namespace phraseq::nn
