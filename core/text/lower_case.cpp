#include "core/text/lower_case.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>

#include "core/base/error.h"

namespace phraseq {

std::string lower_case(std::string_view text) {
  std::string lowered;
  icu::StringByteSink<std::string> sink(&lowered, static_cast<int32_t>(text.size()));
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece source(text.data(), static_cast<int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, source, sink, nullptr, status);
  if (U_FAILURE(status) != 0)
    throw DataError(std::string("cannot lowercase: ") + u_errorName(status));
  return lowered;
}

}  // namespace phraseq
