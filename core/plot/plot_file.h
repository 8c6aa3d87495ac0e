#pragma once

#include <optional>
#include <string>

#include "core/base/api.h"

namespace phraseq::plot {

/// Describes the problem with the FILE of an option --plot, to which a picture is written as SVG in
/// addition to the result on standard output; nothing if there is none. "" means no picture.
PHRASEQ_API std::optional<std::string> plot_file_problem(const std::string& path);

}  // namespace phraseq::plot
