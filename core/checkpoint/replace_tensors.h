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
/// the place of its own. Everything else stays, also the optimizer's state; the metadata entry
/// `replaced` records the file and the names that changed.
///
/// Every tensor must be in the checkpoint under the same name with the same shape and be of its
/// type; floating-point numbers of another type are rounded to it. All that does not fit comes in
/// one FormatError, and so do parameters that are not finite; then nothing is written.
PHRASEQ_API ReplacedTensors replace_tensors(const std::string& model,
                                            const std::string& tensors,
                                            const std::string& output);

}  // namespace phraseq
