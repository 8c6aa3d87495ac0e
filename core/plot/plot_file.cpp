#include "core/plot/plot_file.h"

#include <fmt/format.h>

namespace phraseq::plot {

std::optional<std::string> plot_file_problem(const std::string& path) {
  if (path == "-")
    return "--plot -: standard output is for the result; give --plot FILE.svg";
  if (path.empty() || path.ends_with(".svg"))
    return std::nullopt;
  return fmt::format("--plot {}: expected FILE.svg; pictures are written as SVG only", path);
}

}  // namespace phraseq::plot
