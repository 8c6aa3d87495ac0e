#include "core/serve/api_keys.h"

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/line_reader.h"

namespace phraseq {
namespace {

/// Whether two texts are equal, in a time that depends only on the length of `given`.
bool equal_in_constant_time(std::string_view given, std::string_view key) {
  volatile unsigned char difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char expected = key.empty() ? '\0' : key[i % key.size()];
    difference = static_cast<unsigned char>(difference | (given[i] ^ expected));
  }
  return difference == 0;
}

}  // namespace

ApiKeys::ApiKeys(const std::string& file) {
  for (const std::string& line : read_lines(file)) {
    std::string key(trimmed(line));
    if (!key.empty() && !key.starts_with('#'))
      keys_.push_back(std::move(key));
  }
  if (keys_.empty())
    throw DataError(file + ": contains no keys", "Write one key per line.");
}

int64_t ApiKeys::number_of(std::string_view key) const {
  size_t number = 0;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (equal_in_constant_time(key, keys_[i]))
      number = i + 1;
  }
  return static_cast<int64_t>(number);
}

}  // namespace phraseq
