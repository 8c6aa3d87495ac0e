#include "core/corpus/shards/shard_manifests.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/split_check.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Counts of a split that are sums over its shards.
constexpr std::array<const char*, 7> kSums = {
    "tokens", "replaced", "unparsed", "refused", "links", "slots", "spans"};

/// What the manifests of all shards must have in common.
json common_part(json manifest) {
  manifest.erase("shard");
  for (const char* option : {"shard_id", "workers", "overwrite", "num_shards"})
    manifest["options"].erase(option);
  json& training = manifest["splits"][kTrainingSplit];
  training.erase("sentences");
  for (auto& [name, side] : training.items()) {
    if (!side.is_object())
      continue;
    json input = {{"input", side.value("input", "")},
                  {"input_crc32c", side.value("input_crc32c", "")}};
    side = std::move(input);
  }
  return manifest;
}

/// The path of the first difference between two documents, as "splits.train.en.input_crc32c".
std::string first_difference(const json& a, const json& b) {
  const json patch = json::diff(a, b);
  if (patch.empty())
    return {};
  std::string path = patch.front().at("path");
  for (char& letter : path) letter = letter == '/' ? '.' : letter;
  return path.empty() ? path : path.substr(1);
}

void check_counts(const JsonEntry& record) {
  record.object();
  for (const char* name : kSums) {
    if (record.has(name))
      record.at(name).whole_number(0);
  }
}

/// Checks the types of the entries that are merged.
void check_types(const DataFolder& folder) {
  const JsonEntry manifest(folder.manifest(), folder.path() + "/" + kDataManifest);
  manifest.at("options").object();
  for (const auto& [name, entry] : manifest.at("splits").at(kTrainingSplit).members()) {
    if (name == "sentences" || name == "skipped")
      continue;
    check_counts(entry);
    for (const char* part : {"trees", "alignments", "phrases"}) {
      if (entry.has(part))
        check_counts(entry.at(part));
    }
  }
}

}  // namespace

void check_shard(const std::vector<DataFolder>& shards, size_t number) {
  const DataFolder& folder = shards[number];
  const json expected = {{"index", number}, {"count", shards.size()}};
  if (folder.manifest().is_null() || folder.manifest().value("shard", json()) != expected) {
    throw DataError(fmt::format("{}: manifest.json does not say that this is shard {} of {}",
                                folder.path(),
                                number,
                                shards.size()),
                    "The folder was renamed, or is not the result of --num-shards.");
  }
  check_types(folder);
  const std::string difference =
      first_difference(common_part(shards[0].manifest()), common_part(folder.manifest()));
  if (!difference.empty()) {
    throw DataError(fmt::format("{} and {} are of different runs: their manifests differ in {}",
                                shards[0].path(),
                                folder.path(),
                                difference),
                    kSameRunHint);
  }
}

json merged_manifest(const DataFolder& first) {
  json manifest = first.manifest();
  manifest.erase("shard");
  manifest["options"]["shard_id"] = {{"value", -1}, {"origin", "default"}};
  manifest["options"]["num_shards"] = {{"value", "1"}, {"origin", "default"}};
  return manifest;
}

json sums_of_counts(const std::vector<DataFolder>& shards, const std::vector<std::string>& path) {
  json sums = json::object();
  for (const DataFolder& folder : shards) {
    json record = folder.manifest().at("splits").at(kTrainingSplit);
    for (const std::string& key : path) record = json(record.value(key, json::object()));
    for (const char* name : kSums) {
      if (record.contains(name))
        sums[name] = sums.value(name, int64_t{0}) + record[name].get<int64_t>();
    }
  }
  return sums;
}

}  // namespace phraseq
