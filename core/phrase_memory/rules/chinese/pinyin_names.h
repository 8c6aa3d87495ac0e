#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace phraseq {

/// The number of characters of the frequent surname with which a text begins: 1, 2 (欧阳), or 0 if
/// there is none.
size_t surname_length(std::u32string_view text);

/// Whether a text is a frequent surname and one or two characters.
bool looks_like_name(std::u32string_view text);

/// A Chinese person's name in pinyin, surname first, as GB/T 28039 writes it: 董建华 → Dong
/// Jianhua, 欧阳修 → Ouyang Xiu. Nothing if the text does not look like a name or ICU cannot read
/// it.
std::optional<std::string> name_in_pinyin(std::u32string_view text);

}  // namespace phraseq
