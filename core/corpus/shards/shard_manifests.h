#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/corpus/data_folder.h"

/// What the manifests of the shards of a data folder say about each other.
namespace phraseq {

inline constexpr const char* kSameRunHint = "Run all shards with the same text and options.";

/// Throws DataError if `shards[number]` is not the shard of that number or not from the same run as
/// the first one, and FormatError if its manifest is damaged.
void check_shard(const std::vector<DataFolder>& shards, size_t number);

/// The manifest of the whole folder as one process would have recorded it, except for the record of
/// the training split, which is that of the first shard.
nlohmann::json merged_manifest(const DataFolder& first);

/// The counts (tokens, replaced words …) in a record of the training split, summed over the shards.
/// `path` leads to the record: {"de", "trees"}.
nlohmann::json sums_of_counts(const std::vector<DataFolder>& shards,
                              const std::vector<std::string>& path);

}  // namespace phraseq
