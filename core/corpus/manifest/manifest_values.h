#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include <nlohmann/json.hpp>

#include "core/corpus/indexed_dataset.h"

namespace phraseq {

/// The value at a path of keys of a manifest; null when a key is missing.
nlohmann::json value_at(const nlohmann::json& root, std::initializer_list<std::string> keys);

/// Throws FormatError if the checksum of a file is not `expected`, that of the manifest; null = the
/// manifest has none.
void check_sum(const std::string& file, uint32_t found, const nlohmann::json& expected);

/// Throws FormatError if the files of a dataset differ from the manifest's record of it.
void check_sums(const IndexedDataset& data, const nlohmann::json& record);

}  // namespace phraseq
