#pragma once

#include <string>

#include "core/score/compare/comparison.h"

namespace phraseq::score {

/// The part of the page that shows sentences, sorted by their difference; empty without sentences.
std::string sentences_html(const Comparison& comparison, int width);

}  // namespace phraseq::score
