#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// Why a request was not translated.
enum class FailureReason {
  kBadInput,   ///< something in it is wrong
  kTooLong,    ///< a sentence is longer than the model accepts
  kQueueFull,  ///< too many requests are waiting
  kStopping,   ///< no more requests are accepted
};

/// A request that cannot be translated, while others can.
class PHRASEQ_API TranslationFailure : public DataError {
 public:
  /// `field` names the part of the request, such as "text[2]"; empty = none.
  TranslationFailure(FailureReason reason, const std::string& field, const std::string& problem);
  FailureReason reason() const { return reason_; }
  const std::string& field() const { return field_; }

 private:
  FailureReason reason_;
  std::string field_;
};

/// "text[2]".
PHRASEQ_API std::string field_place(std::string_view field, size_t index);

}  // namespace phraseq
