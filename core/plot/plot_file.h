#pragma once

#include <optional>
#include <string>

#include "core/base/api.h"

namespace phraseq::plot {

/// What is wrong with the FILE of an option --plot, which is written as SVG beside the result on
/// standard output; nothing for "", which asks for no picture.
PHRASEQ_API std::optional<std::string> plot_file_problem(const std::string& path);

}  // namespace phraseq::plot
