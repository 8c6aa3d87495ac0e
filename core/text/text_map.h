#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/api.h"

namespace phraseq {

/// The hash of TextMap.
struct PHRASEQ_API TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

/// A map with texts as keys that is searched by a string_view, without a copy of the text.
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace phraseq
