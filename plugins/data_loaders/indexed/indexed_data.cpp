#include "plugins/data_loaders/indexed/indexed_data.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

class IndexedPairs final : public Corpus {
 public:
  IndexedPairs(IndexedDataset source, std::optional<IndexedDataset> target)
      : source_(std::move(source)), target_(std::move(target)) {}

  int64_t size() const override { return source_.size(); }
  int64_t source_length(int64_t index) const override { return source_.length(index); }
  int64_t target_length(int64_t index) const override {
    return target_ ? target_->length(index) : 0;
  }
  Example get(int64_t index) const override {
    return {index, source_.get(index), target_ ? target_->get(index) : std::vector<int64_t>(), {}};
  }
  std::string fingerprint() const override {
    return fmt::format("indexed {} sentences, crc32c {:08x} {:08x}",
                       size(),
                       source_.fingerprint(),
                       target_ ? target_->fingerprint() : 0);
  }

 private:
  IndexedDataset source_;
  std::optional<IndexedDataset> target_;
};

/// fairseq joins train, train1, train2 …; a second part must not be left out unsaid.
void refuse_further_parts(const DataLoaderSetup& setup, const std::string& split) {
  const std::string second = indexed_prefix(setup.folder,
                                            split + "1",
                                            setup.source_language,
                                            setup.target_language,
                                            setup.source_language);
  if (!IndexedDataset::exists(second))
    return;
  throw DataError(
      fmt::format("{}: the split '{}' has a second part, which would be left out", second, split),
      "join the parts before preprocessing, or move the others away");
}

IndexedDataset open_checked(const std::string& prefix, int64_t vocabulary) {
  IndexedDataset dataset = IndexedDataset::open(prefix);
  if (vocabulary > 0)
    dataset.check_ids(vocabulary);
  return dataset;
}

}  // namespace

IndexedData::IndexedData(const IndexedDataOptions&, const DataLoaderSetup& setup) : setup_(setup) {}

std::optional<std::string> IndexedData::source_prefix(const std::string& split) const {
  const auto& [folder, source, target] =
      std::tie(setup_.folder, setup_.source_language, setup_.target_language);
  for (const std::string& prefix : {indexed_prefix(folder, split, source, target, source),
                                    indexed_prefix(folder, split, target, source, source)}) {
    if (IndexedDataset::exists(prefix))
      return prefix;
  }
  return std::nullopt;
}

bool IndexedData::has_split(const std::string& split) const {
  return source_prefix(split).has_value();
}

std::unique_ptr<Corpus> IndexedData::open(const std::string& split, bool training) const {
  const auto found = source_prefix(split);
  if (!found) {
    throw IoError(indexed_prefix(setup_.folder,
                                 split,
                                 setup_.source_language,
                                 setup_.target_language,
                                 setup_.source_language) +
                      ".idx",
                  "find",
                  0,
                  "make the folder with phraseq preprocess, or name another split");
  }
  if (training)
    refuse_further_parts(setup_, split);
  IndexedDataset source = open_checked(*found, setup_.source_vocabulary);
  const std::string target_prefix =
      found->substr(0, found->size() - setup_.source_language.size()) + setup_.target_language;
  if (!training && !IndexedDataset::exists(target_prefix)) {
    return std::make_unique<IndexedPairs>(std::move(source), std::nullopt);
  }
  IndexedDataset target = open_checked(target_prefix, setup_.target_vocabulary);
  if (source.size() != target.size()) {
    throw DataError(fmt::format("{}: {} sentences, but {}: {}",
                                source.prefix(),
                                source.size(),
                                target.prefix(),
                                target.size()),
                    "make the folder again from line-parallel files");
  }
  return std::make_unique<IndexedPairs>(std::move(source), std::move(target));
}

}  // namespace phraseq
