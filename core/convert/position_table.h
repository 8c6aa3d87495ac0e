#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// The sinusoids that `--pos` names (core/nn/positions.h), [positions, width] row-major: row t is
/// added to token number t of a sentence. Empty for `learned` and `none`.
PHRASEQ_API std::vector<double> position_table(const std::string& kind,
                                               int64_t positions,
                                               int64_t width);

/// Rows before the first position in the table of learned positions, as in fairseq.
inline constexpr int64_t kLearnedPositionOffset = 2;

/// Which of them a stored table [positions, width] holds; `learned` if it does not hold sinusoids
/// to single precision, so that the values in the file are kept. Throws a FormatError that begins
/// with `path` if it is not a table of numbers.
PHRASEQ_API std::string kind_of_positions(const TensorView& table, const std::string& path);

/// The same for toolkits without learned positions, also to half precision: throws FormatError for
/// another table.
PHRASEQ_API std::string kind_of_sinusoids(const TensorView& table, const std::string& path);

/// Adds the learned positions of `stack` to `weights` under phraseq's name; `model` keeps the
/// values.
PHRASEQ_API void add_learned_positions(ImportedModel& model,
                                       std::vector<TensorView>& weights,
                                       const TensorView& table,
                                       const std::string& stack);

}  // namespace phraseq
