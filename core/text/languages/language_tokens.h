#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// How the symbol of a language is spelled: `__de__`, `[de]` or `de`.
enum class LanguageTokenStyle { kMultilingual, kMbart, kPlain };

inline constexpr EnumName<LanguageTokenStyle> kLanguageTokenStyleNames[] = {
    {"multilingual", LanguageTokenStyle::kMultilingual},
    {"mbart", LanguageTokenStyle::kMbart},
    {"plain", LanguageTokenStyle::kPlain}};

/// The symbol of a language: fairseq's get_lang_tok (multilingual_utils.py).
PHRASEQ_API std::string language_token(const std::string& language, LanguageTokenStyle style);

/// Adds the symbols of the languages, in order and after all others, and `<mask>` with kMbart:
/// fairseq's augment_dictionary. Symbols that the dictionary already has keep their ids.
PHRASEQ_API void add_language_tokens(Dictionary& dictionary,
                                     const std::vector<std::string>& languages,
                                     LanguageTokenStyle style);

}  // namespace phraseq
