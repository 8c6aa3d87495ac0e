#include "core/corpus/manifest/manifest_values.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/crc32c.h"

namespace phraseq {

nlohmann::json value_at(const nlohmann::json& root, std::initializer_list<std::string> keys) {
  const nlohmann::json* value = &root;
  for (const std::string& key : keys) {
    if (!value->is_object() || !value->contains(key))
      return nullptr;
    value = &(*value)[key];
  }
  return *value;
}

void check_sum(const std::string& file, uint32_t found, const nlohmann::json& expected) {
  if (expected.is_null() || expected == crc32c_text(found))
    return;
  throw FormatError(
      fmt::format("{}: CRC-32C {}, the manifest has {}", file, crc32c_text(found), expected.dump()),
      "The file was replaced after preprocessing; run phraseq preprocess again.");
}

void check_sums(const IndexedDataset& data, const nlohmann::json& record) {
  check_sum(data.prefix() + ".idx", data.fingerprint(), value_at(record, {"index_crc32c"}));
  if (const auto expected = value_at(record, {"ids_crc32c"}); !expected.is_null())
    check_sum(data.prefix() + ".bin", data.ids_fingerprint(), expected);
}

}  // namespace phraseq
