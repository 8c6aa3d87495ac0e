#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/imported_model.h"

namespace phraseq::testing {

/// Gives a model learned positions, all different, in place of its sinusoids.
inline void use_learned_positions(ImportedModel& model, int64_t positions) {
  model.options["pos"] = "learned";
  for (const auto& [stack, option] :
       {std::pair("encoder", "max_source_positions"), {"decoder", "max_target_positions"}}) {
    model.options[option] = positions;
    const auto width = model.options.at(std::string(stack) + "_embed_dim").get<int64_t>();
    std::vector<double> table(static_cast<size_t>((positions + 2) * width), 0.0);
    const double sign = std::string(stack) == "encoder" ? 1 : -1;
    for (size_t i = static_cast<size_t>(2 * width); i < table.size(); ++i)
      table[i] = sign * static_cast<double>(i) / 1024;
    model.add_tensor(std::string(stack) + ".embed_positions.weight",
                     DType::kF32,
                     {positions + 2, width},
                     float_bytes(table, DType::kF32));
  }
}

}  // namespace phraseq::testing
