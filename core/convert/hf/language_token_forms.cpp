#include "core/convert/hf/language_token_forms.h"

#include <cctype>

namespace phraseq {

bool is_flores_code(const std::string& symbol) {
  if (symbol.size() != 8 || symbol[3] != '_')
    return false;
  const auto lower = [&](size_t at) {
    return std::islower(static_cast<unsigned char>(symbol[at]));
  };
  return lower(0) && lower(1) && lower(2) && std::isupper(static_cast<unsigned char>(symbol[4])) &&
         lower(5) && lower(6) && lower(7);
}

bool is_m2m_language_token(const std::string& symbol) {
  return symbol.size() > 4 && symbol.starts_with("__") && symbol.ends_with("__");
}

}  // namespace phraseq
