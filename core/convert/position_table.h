#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// The sinusoids that `--pos` names (core/nn/positions.h), [positions, width] row-major: row t is
/// added to token number t of a sentence. Empty for `learned` and `none`.
PHRASEQ_API std::vector<double> position_table(const std::string& kind,
                                               int64_t positions,
                                               int64_t width);

/// Which of them a stored table [positions, width] holds. Throws FormatError, beginning with
/// `path`, when it holds none: it was learned.
PHRASEQ_API std::string kind_of_positions(const TensorView& table, const std::string& path);

}  // namespace phraseq
