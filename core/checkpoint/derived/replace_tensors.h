#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// What replace_tensors did, by name, in the order of the file of tensors.
struct ReplacedTensors {
  std::vector<std::string> changed;
  std::vector<std::string> equal;  ///< they had these bytes before
};

/// Writes `output`: the checkpoint `model` with the tensors of the safetensors file `tensors` in
/// place of its own. Everything else stays, including the optimizer's state; the metadata entry
/// `replaced` records the file and the names that changed.
///
/// Every tensor must be in the checkpoint under the same name with the same shape and type;
/// floating-point numbers of a different type are rounded to it. Everything that does not fit is
/// listed in one FormatError, as are parameters that are not finite; nothing is then written.
PHRASEQ_API ReplacedTensors replace_tensors(const std::string& model,
                                            const std::string& tensors,
                                            const std::string& output);

}  // namespace phraseq
