#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/imported_model.h"

namespace phraseq::testing {

/// The values of a model's floating-point tensors, by name.
inline std::map<std::string, std::vector<double>> float_tensors(const ImportedModel& model) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& tensor : model.tensors) {
    if (is_float(tensor.dtype))
      values[tensor.name] = float_values(tensor);
  }
  return values;
}

}  // namespace phraseq::testing
