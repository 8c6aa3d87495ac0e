#pragma once

#include <vector>

#include "core/phrase_memory/rules/chinese/chinese_text.h"
#include "core/phrase_memory/rules/rule_findings.h"

namespace phraseq {

/// Adds the dates, times and numbers of a sentence, from left to right. Parts of a numeral are left
/// out, and so are numbers that form a different number with their neighbors (第三十, 三十几) and
/// plain digits before something that is not counted.
void find_chinese_numerals(const ChineseText& text, std::vector<RuleFinding>& found);

}  // namespace phraseq
