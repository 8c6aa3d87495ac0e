#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/phrase_memory_options.h"

namespace phraseq {

/// A phrase memory in the form in which it is stored: in a data folder, next to the phrases that
/// were found with it, and in a checkpoint, so that translating needs nothing else.
struct PHRASEQ_API StoredMemory {
  std::string table;             ///< the phrase table's text; empty = only rules
  PhraseMemoryOptions settings;  ///< except `phrase_table`, which does not name a file here
  bool lowercase = false;
  bool keeps_case = false;  ///< `lowercase` applies only to comparisons (PhraseMemory)

  /// Reads the table of the settings. Throws what PhraseTable::read throws.
  static StoredMemory read(const PhraseMemoryOptions& options,
                           bool lowercase,
                           bool keeps_case = false);
  /// The same way of choosing phrases, with a different table.
  StoredMemory with_table(const std::string& path) const;

  PhraseMemory open() const;
  /// Everything except the table, by the options' names.
  nlohmann::json record() const;
  /// Reads what `record` wrote. Throws a FormatError that names `where`.
  static StoredMemory from_record(const nlohmann::json& record,
                                  std::string table,
                                  const std::string& where);
  /// Writes the table into a data folder and returns the manifest's entry. `load` reads both again
  /// and throws FormatError if the table is a different one.
  nlohmann::json save(const std::string& folder) const;
  static StoredMemory load(const std::string& folder, const nlohmann::json& entry);
  /// Equal for equal memories.
  uint32_t fingerprint() const;
};

}  // namespace phraseq
