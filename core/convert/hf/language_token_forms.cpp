#include "core/convert/hf/language_token_forms.h"

#include <algorithm>
#include <string_view>

#include "core/base/text_fields.h"

namespace phraseq {
namespace {

/// Whether a symbol has the form of `pattern`: `a` a small letter, `A` a capital one, `_` itself.
bool has_form(const std::string& symbol, std::string_view pattern) {
  return std::ranges::equal(symbol, pattern, [](char found, char wanted) {
    if (wanted == 'a')
      return is_ascii_lower(found);
    return wanted == 'A' ? is_ascii_upper(found) : found == wanted;
  });
}

}  // namespace

bool is_flores_code(const std::string& symbol) { return has_form(symbol, "aaa_Aaaa"); }

bool is_mbart_code(const std::string& symbol) { return has_form(symbol, "aa_AA"); }

bool is_m2m_language_token(const std::string& symbol) {
  return symbol.size() > 4 && symbol.starts_with("__") && symbol.ends_with("__");
}

}  // namespace phraseq
