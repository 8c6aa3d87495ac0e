#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// LayerDrop for one stack of layers (Fan et al. 2020, "Reducing Transformer Depth on Demand with
/// Structured Dropout"), with fairseq's options. During training, each forward pass skips each
/// layer with a given probability. A model trained this way can later run with only some of its
/// layers.
struct PHRASEQ_API LayerDrop {
  double probability = 0.0;
  std::string layers_to_keep;  ///< "0,2,4": the layers to build, counted from 0; empty = all

  void describe(OptionTable& table, const std::string& stack);
  /// Appends the problems of these options for a stack of `layers` layers.
  void check(std::vector<std::string>& found, const std::string& stack, int64_t layers) const;

  /// The numbers of the layers to build, in ascending order. Layers keep their original numbers, so
  /// the names of their parameters do not change.
  std::vector<int64_t> kept(int64_t layers) const;
  /// Returns true if a parameter of the stack belongs to a layer that is not built.
  bool leaves_out(const std::string& parameter, const std::string& stack, int64_t layers) const;
  /// Chooses the layers that one forward pass computes; true = computed. Draws one random key from
  /// the context. With probability 0, or outside of training, all layers are computed and no key is
  /// drawn.
  std::vector<bool> of_pass(size_t layers, Context& context) const;
};

}  // namespace phraseq::nn
