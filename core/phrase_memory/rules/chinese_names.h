#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace phraseq {

/// Whether a text is a frequent surname and one or two characters.
bool looks_like_name(std::u32string_view text);
/// A Chinese person's name in pinyin, surname first, as GB/T 28039 writes it: 董建华 → Dong
/// Jianhua, 欧阳修 → Ouyang Xiu. None when the text does not look like a name or ICU cannot read
/// it.
std::optional<std::string> name_in_pinyin(std::u32string_view text);

/// Whether a text begins with a title that stands behind names: 先生, 主席 …
bool begins_with_title(std::u32string_view text);
/// Whether a text ends in a title that stands in front of names: 总统, 教授 …
bool ends_in_title(std::u32string_view text);

}  // namespace phraseq
