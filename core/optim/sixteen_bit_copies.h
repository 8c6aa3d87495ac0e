#pragma once

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Writes the parameters into their bf16 and fp16 copies again, if these exist. Call it after every
/// change of the values.
void refresh_sixteen_bit_copies(nn::FlatParameters& parameters);

}  // namespace phraseq
