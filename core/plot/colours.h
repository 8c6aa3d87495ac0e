#pragma once

#include <cstddef>
#include <string>

#include "core/base/api.h"

namespace phraseq::plot {

/// The colour of the n-th series; told apart with all common kinds of colour vision (Okabe & Ito
/// 2008). They repeat after eight.
PHRASEQ_API std::string series_colour(size_t number);

/// From white (0) through blue to almost black (1), with even steps of lightness; NaN is
/// white.
PHRASEQ_API std::string shade(double share);

}  // namespace phraseq::plot
