#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace phraseq::score {

/// The whole of a text as a number. Scores are finite: among nan and inf no hypothesis is the best.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end || !std::isfinite(static_cast<double>(value)))
    return std::nullopt;
  return value;
}

}  // namespace phraseq::score
