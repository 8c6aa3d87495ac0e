#include "core/embed/translation_failure.h"

#include <fmt/format.h>

namespace phraseq {

TranslationFailure::TranslationFailure(FailureReason reason,
                                       const std::string& field,
                                       const std::string& problem)
    : DataError(field.empty() ? problem : fmt::format("{}: {}", field, problem)),
      reason_(reason),
      field_(field) {}

std::string field_place(std::string_view field, size_t index) {
  return fmt::format("{}[{}]", field, index);
}

}  // namespace phraseq
