#pragma once

#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Renews the copies of the parameters in fewer bits, those that there are.
void renew_copies(nn::FlatParameters& parameters);

}  // namespace phraseq
