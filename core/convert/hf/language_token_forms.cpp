#include "core/convert/hf/language_token_forms.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace phraseq {
namespace {

/// Whether a symbol has the form of `pattern`: `a` a small letter, `A` a capital one, `_` itself.
bool has_form(const std::string& symbol, std::string_view pattern) {
  return std::ranges::equal(symbol, pattern, [](char found, char wanted) {
    const auto letter = static_cast<unsigned char>(found);
    if (wanted == 'a')
      return std::islower(letter) != 0;
    return wanted == 'A' ? std::isupper(letter) != 0 : found == wanted;
  });
}

}  // namespace

bool is_flores_code(const std::string& symbol) { return has_form(symbol, "aaa_Aaaa"); }

bool is_mbart_code(const std::string& symbol) { return has_form(symbol, "aa_AA"); }

bool is_m2m_language_token(const std::string& symbol) {
  return symbol.size() > 4 && symbol.starts_with("__") && symbol.ends_with("__");
}

}  // namespace phraseq
