#include "core/serve/api/field_checks.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/base/utf8_characters.h"

namespace phraseq {
namespace {

size_t characters_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), std::not_fn(continues_character)));
}

}  // namespace

void check_size(const std::vector<std::string>& texts,
                const std::string& field,
                const ServeOptions& options) {
  if (static_cast<int64_t>(texts.size()) > options.max_texts) {
    throw ServiceError(
        413,
        "too_many_texts",
        fmt::format(
            "{}: {} texts, at most {} are accepted", field, texts.size(), options.max_texts),
        field);
  }
  size_t length = 0;
  for (const std::string& text : texts) length += characters_of(text);
  if (static_cast<int64_t>(length) > options.max_text_length) {
    throw ServiceError(
        413,
        "text_too_long",
        fmt::format(
            "{}: {} characters, at most {} are accepted", field, length, options.max_text_length),
        field);
  }
}

}  // namespace phraseq
