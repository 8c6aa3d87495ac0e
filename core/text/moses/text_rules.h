#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phraseq::moses {

using Text = std::u32string;
using View = std::u32string_view;

/// Replaces every occurrence, from the left, without overlaps.
Text replace_all(View text, View what, View with);
/// Does the same for several pairs, one after the other.
Text replace_each(Text text, const std::vector<std::pair<View, View>>& pairs);

/// Replaces runs of whitespace with one blank each, and removes them at the ends.
Text single_blanks(View text);
/// Splits at whitespace.
std::vector<Text> split(View text);
Text join(const std::vector<Text>& words);

std::string to_utf8(View text);

}  // namespace phraseq::moses
