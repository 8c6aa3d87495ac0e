#include "core/score/report/python_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phraseq::score {

std::string python_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

std::string json_string(std::string_view text, bool ascii) {
  return nlohmann::json(text).dump(-1, ' ', ascii);
}

}  // namespace phraseq::score
