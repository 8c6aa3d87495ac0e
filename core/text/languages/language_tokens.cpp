#include "core/text/languages/language_tokens.h"

namespace phraseq {

std::string language_token(const std::string& language, LanguageTokenStyle style) {
  switch (style) {
    case LanguageTokenStyle::kMultilingual:
      return "__" + language + "__";
    case LanguageTokenStyle::kMbart:
      return "[" + language + "]";
    case LanguageTokenStyle::kPlain:
      break;
  }
  return language;
}

void add_language_tokens(Dictionary& dictionary,
                         const std::vector<std::string>& languages,
                         LanguageTokenStyle style) {
  for (const std::string& language : languages) dictionary.add(language_token(language, style));
  if (style == LanguageTokenStyle::kMbart)
    dictionary.add("<mask>");
}

}  // namespace phraseq
