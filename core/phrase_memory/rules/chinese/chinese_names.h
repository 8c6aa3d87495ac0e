#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace phraseq {

/// A person's name made of words of a sentence.
struct ChineseName {
  size_t length = 0;  ///< words
  std::string pinyin;
};

/// The name that begins with this word and is next to a title. Text in the form of a name is most
/// often something else; therefore, a name is
///
///   one word of two or three characters with 先生, 女士 … after it,
///   one word with two given characters with an office after it or in front of it,
///   several words with a surname, two given characters and 先生, 女士 … or an office after them,
///
/// and none of its characters is one of grammar or counting (的, 不, 位, 老 …).
std::optional<ChineseName> chinese_name_at(std::span<const std::string> words, size_t begin);

}  // namespace phraseq
