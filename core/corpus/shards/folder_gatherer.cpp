#include "core/corpus/shards/folder_gatherer.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/id_type.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/phrases/phrase_writer.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "core/corpus/shards/shard_manifests.h"
#include "core/corpus/split_check.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/folders/staging_folder.h"
#include "core/io/mapping/mapped_file.h"
#include "core/options/shards/shard.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int64_t kSentencesInMemory = 1 << 14;  ///< before the memory of what was read is released

/// Shards of one folder, merged into another one.
class FolderGatherer {
 public:
  FolderGatherer(const std::vector<std::string>& shards, std::string folder)
      : folder_(std::move(folder)) {
    for (const std::string& shard : shards) folders_.push_back(DataFolder::open(shard));
    for (size_t i = 0; i < folders_.size(); ++i) check_shard(folders_, i);
    manifest_ = merged_manifest(folders_[0]);
  }

  void copy_common_files() const {
    check_common_splits();
    const std::string training = fmt::format("{}.", kTrainingSplit);
    for (const auto& entry : entries_of(folders_[0].path())) {
      const std::string name = entry.path().filename().string();
      if (name != kDataManifest && !name.starts_with(training))
        copy(entry.path(), name);
    }
  }

  void merge() {
    json& record = manifest_["splits"][kTrainingSplit];
    for (const auto& [language, side] :
         folders_[0].manifest().at("splits").at(kTrainingSplit).items()) {
      if (side.is_object())
        merge_side(language, record[language]);
    }
    record["sentences"] = sentences_;
  }

  int64_t sentences() const { return sentences_; }
  void write_manifest() const {
    write_file(folder_ + "/" + kDataManifest, manifest_.dump(2) + "\n");
  }

 private:
  using Datasets = std::vector<IndexedDataset>;

  /// Opens the data, which compares it with the manifest.
  void check_common_splits() const {
    const DataFolder& first = folders_[0];
    for (const auto& [split, record] : first.manifest().at("splits").items()) {
      if (split == kTrainingSplit)
        continue;
      if (first.has_alignments(split))
        first.alignments(split);
      for (const auto& [language, side] : record.items()) {
        if (side.is_object())
          check_side(split, language);
      }
    }
  }

  void check_side(const std::string& split, const std::string& language) const {
    const DataFolder& first = folders_[0];
    first.dataset(split, language);
    if (first.has_trees(split, language))
      first.trees(split, language);
    if (first.has_phrases(split, language))
      first.phrases(split, language);
  }

  /// On the disk for good: the shards may be removed afterwards.
  void copy(const fs::path& from, const std::string& name) const {
    const MappedFile original(from.string());
    AtomicFile file(folder_ + "/" + name, original.size());
    file.write(original.bytes());
    file.commit();
  }

  std::string prefix(const std::string& language) const {
    return indexed_prefix(
        folder_, kTrainingSplit, folders_[0].source(), folders_[0].target(), language);
  }

  void merge_side(const std::string& language, json& record) {
    const auto texts =
        open([&](const DataFolder& folder) { return folder.dataset(kTrainingSplit, language); });
    count(texts);
    const int64_t symbols = folders_[0].dictionary(language).size();
    copy_sentences(texts, symbols, prefix(language));
    finish(record, prefix(language), {language});
    if (folders_[0].has_trees(kTrainingSplit, language))
      merge_trees(language, record["trees"]);
    if (language == folders_[0].source() && folders_[0].has_alignments(kTrainingSplit))
      merge_alignments(language, record["alignments"]);
    if (folders_[0].has_phrases(kTrainingSplit, language))
      merge_phrases(language, record["phrases"]);
  }

  void merge_trees(const std::string& language, json& record) const {
    const auto trees =
        open([&](const DataFolder& folder) { return folder.trees(kTrainingSplit, language); });
    copy_sentences(trees, kNumberLimit, trees_prefix(prefix(language)));
    finish(record, trees_prefix(prefix(language)), {language, "trees"});
  }

  void merge_alignments(const std::string& language, json& record) const {
    const auto alignments =
        open([](const DataFolder& folder) { return folder.alignments(kTrainingSplit); });
    const std::string result =
        alignments_prefix(folder_, kTrainingSplit, language, folders_[0].target());
    copy_sentences(alignments, kNumberLimit, result);
    finish(record, result, {language, "alignments"});
  }

  void merge_phrases(const std::string& language, json& record) const {
    std::vector<StoredPhrases> phrases;
    for (const DataFolder& folder : folders_)
      phrases.push_back(folder.phrases(kTrainingSplit, language));
    const std::string result = phrases_prefix(prefix(language));
    IndexedDatasetWriter writer(result, kNumberLimit);
    EntryNumbers numbers;
    for (int64_t sentence = 0; sentence < sentences_; ++sentence) {
      const StoredPhrases& of_shard = phrases[static_cast<size_t>(sentence) % phrases.size()];
      auto slots = of_shard.get(sentence / static_cast<int64_t>(phrases.size()));
      for (StoredSlot& slot : slots)
        slot.entry = numbers.number_of(of_shard.entries()[static_cast<size_t>(slot.entry)]);
      writer.add(encode_slots(slots));
    }
    writer.commit();
    write_file(result + ".txt", numbers.text());
    const json sums = sums_of_counts(folders_, {language, "phrases"});
    record = stored_phrases_record(result);
    record.update(sums);
  }

  Datasets open(const std::function<IndexedDataset(const DataFolder&)>& part) const {
    Datasets opened;
    for (const DataFolder& folder : folders_) opened.push_back(part(folder));
    return opened;
  }

  /// Takes the number of sentences from the shards and compares it with that of each.
  void count(const Datasets& texts) {
    sentences_ = 0;
    for (const IndexedDataset& text : texts) sentences_ += text.size();
    for (size_t i = 0; i < texts.size(); ++i) {
      const Shard shard{static_cast<int64_t>(i), static_cast<int64_t>(texts.size())};
      if (texts[i].size() == shard.size_of(sentences_))
        continue;
      throw DataError(fmt::format("{}: {} sentences, expected {} of {}",
                                  texts[i].prefix(),
                                  texts[i].size(),
                                  shard.size_of(sentences_),
                                  sentences_),
                      kSameRunHint);
    }
  }

  void copy_sentences(const Datasets& shards, int64_t vocabulary, const std::string& result) const {
    IndexedDatasetWriter writer(result, vocabulary);
    for (int64_t sentence = 0; sentence < sentences_; ++sentence) {
      const IndexedDataset& shard = shards[static_cast<size_t>(sentence) % shards.size()];
      writer.add(shard.get(sentence / static_cast<int64_t>(shards.size())));
      if (sentence % kSentencesInMemory == 0) {
        for (const IndexedDataset& other : shards) other.release();
      }
    }
    writer.commit();
  }

  /// Puts checksums and sums into the record of what was merged.
  void finish(json& record, const std::string& result, const std::vector<std::string>& path) const {
    const IndexedDataset written = IndexedDataset::open(result);
    record["index_crc32c"] = crc32c_text(written.fingerprint());
    record["ids_crc32c"] = crc32c_text(written.ids_fingerprint());
    record.update(sums_of_counts(folders_, path));
  }

  std::string folder_;
  std::vector<DataFolder> folders_;
  json manifest_;
  int64_t sentences_ = 0;
};

/// Whether a folder has data, of phraseq or of fairseq, which writes no manifest.
bool holds_data(const std::string& folder) {
  std::error_code ignored;
  return std::ranges::any_of(entries_of(folder, ignored), [](const fs::directory_entry& file) {
    const std::string name = file.path().filename().string();
    return name == kDataManifest || name.ends_with(".idx") ||
           (name.starts_with("dict.") && name.ends_with(".txt"));
  });
}

constexpr const char* kOtherOutput = "Give another --output, or --overwrite.";

void reject_earlier_data(const std::string& destination) {
  if (holds_data(destination))
    throw UsageError(fmt::format("{} already contains data", destination), kOtherOutput);
}

}  // namespace

void gather_folders(const std::vector<std::string>& shards,
                    const std::string& destination,
                    bool overwrite) {
  if (!overwrite)
    reject_earlier_data(destination);
  StagingFolder staging(destination);
  mark_unfinished_folder(staging.path());
  FolderGatherer gatherer(shards, staging.path());
  gatherer.copy_common_files();
  gatherer.merge();
  gatherer.write_manifest();
  if (!overwrite)
    staging.reject_replacement(kOtherOutput);
  mark_mixed_folder(destination);
  staging.commit(kDataManifest);
  log_info(fmt::format(
      "Wrote {} sentences of {} shards to {}", gatherer.sentences(), shards.size(), destination));
}

}  // namespace phraseq
