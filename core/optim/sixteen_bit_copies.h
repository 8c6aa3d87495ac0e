#pragma once

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Writes the parameters anew into their bf16 and fp16 copies, as far as these exist: to be called
/// after every change of the values.
void refresh_sixteen_bit_copies(nn::FlatParameters& parameters);

}  // namespace phraseq
