#pragma once

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Renews the copies of the parameters in 16 bits, if there are any.
void renew_copies(nn::FlatParameters& parameters);

}  // namespace phraseq
