#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/phrase_memory_options.h"

namespace phraseq {

/// A phrase memory as it is kept: in a data folder, beside the phrases that were found with it, and
/// in a checkpoint, so that translating needs nothing else.
struct PHRASEQ_API StoredMemory {
  std::string table;             ///< the phrase table's text; empty = rules alone
  PhraseMemoryOptions settings;  ///< but for `phrase_table`, which names no file here
  bool lowercase = false;
  bool keeps_case = false;  ///< `lowercase` holds for comparisons alone (PhraseMemory)

  /// Reads the table of the settings. Throws what PhraseTable::read throws.
  static StoredMemory read(const PhraseMemoryOptions& options,
                           bool lowercase,
                           bool keeps_case = false);
  /// The same way of choosing phrases, from another table.
  StoredMemory with_table(const std::string& path) const;

  PhraseMemory open() const;
  PhraseTable phrase_table() const;
  /// All but the table, by the options' names.
  nlohmann::json record() const;
  /// Takes what `record` wrote. Throws FormatError naming `where`.
  static StoredMemory from_record(const nlohmann::json& record,
                                  std::string table,
                                  const std::string& where);
  /// Writes the table into a data folder; the manifest's entry. `load` reads both again and throws
  /// FormatError when the table is another one.
  nlohmann::json save(const std::string& folder) const;
  static StoredMemory load(const std::string& folder, const nlohmann::json& entry);
  /// Equal for equal memories.
  uint32_t fingerprint() const;
};

}  // namespace phraseq
