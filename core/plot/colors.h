#pragma once

#include <cstddef>
#include <string>

#include "core/base/api.h"

namespace phraseq::plot {

/// The color of the n-th series. The eight colors are distinguishable with all common kinds of
/// color vision (Okabe & Ito 2008); after that, they repeat.
PHRASEQ_API std::string series_color(size_t number);

/// A color between white (0), blue and almost black (1), with uniform steps of lightness; white for
/// NaN.
PHRASEQ_API std::string shade(double share);

}  // namespace phraseq::plot
