#include "core/base/wording/counted.h"

#include <fmt/format.h>

namespace phraseq {
namespace {

bool ends_in_consonant_and_y(std::string_view noun) {
  constexpr std::string_view kVowels = "aeiou";
  return noun.size() > 1 && noun.ends_with('y') &&
         kVowels.find(noun[noun.size() - 2]) == std::string_view::npos;
}

std::string plural(std::string_view noun) {
  if (ends_in_consonant_and_y(noun))
    return fmt::format("{}ies", noun.substr(0, noun.size() - 1));
  const bool hisses = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("ch");
  return fmt::format("{}{}", noun, hisses ? "es" : "s");
}

}  // namespace

std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}", count, count == 1 ? std::string(noun) : plural(noun));
}

}  // namespace phraseq
