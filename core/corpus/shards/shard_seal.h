#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/shards/shard.h"

namespace phraseq {

/// The last line of a shard of text (docs/formats/shards.md): it shows that the shard is complete,
/// and to which result it belongs.
struct PHRASEQ_API ShardSeal {
  Shard shard;
  int64_t sentences = 0;  ///< of all shards
  std::string format;     ///< of the lines: "plain", "fairseq" or "jsonl"
  /// What all shards must have in common, by name: checksums of options, models and input.
  nlohmann::json run = nlohmann::json::object();
  /// CRC-32C of all lines before the seal, as crc32c_text writes it.
  std::string checksum;

  /// The line, with its end.
  std::string line() const;
  /// Reads the seal at the end of a file. Throws IoError, and DataError if there is none or it is
  /// damaged.
  static ShardSeal read(const std::string& file);
};

/// Whether a line begins like a seal.
PHRASEQ_API bool is_seal(std::string_view line);

}  // namespace phraseq
