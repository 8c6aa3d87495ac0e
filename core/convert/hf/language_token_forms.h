#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq {

/// "deu_Latn", the code of a language and a script in FLORES-200, which is a token of NLLB.
PHRASEQ_API bool is_flores_code(const std::string& symbol);

/// "de_DE", the code of a language and a region, which is a token of mBART.
PHRASEQ_API bool is_mbart_code(const std::string& symbol);

/// "__de__", a token of M2M-100.
PHRASEQ_API bool is_m2m_language_token(const std::string& symbol);

}  // namespace phraseq
