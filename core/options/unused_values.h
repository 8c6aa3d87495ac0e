#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace phraseq {

/// Collects the sentences of Options::without_effect().
class UnusedValues {
 public:
  /// Notes an option that is not used although its value is not the default: `option` has no effect
  /// `reason` ("with --pr-ta none").
  void check(bool is_used, bool is_default, std::string_view option, std::string_view reason) {
    if (!is_used && !is_default)
      sentences.push_back(fmt::format("{} has no effect {}", option, reason));
  }

  std::vector<std::string> sentences;
};

}  // namespace phraseq
