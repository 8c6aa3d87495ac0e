#pragma once

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Updates the bf16 and fp16 copies of the parameters, if these exist. Call it after every change
/// of the values.
void refresh_sixteen_bit_copies(nn::FlatParameters& parameters);

}  // namespace phraseq
