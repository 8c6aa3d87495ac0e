#include "plugins/data_loaders/indexed/indexed_data.h"

#include <optional>
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

}  // namespace

IndexedData::IndexedData(const IndexedDataOptions&, const DataLoaderSetup& setup)
    : folder_(DataFolder::open(setup.folder, setup.source_language, setup.target_language)),
      setup_(setup) {}

bool IndexedData::has_split(const std::string& split) const {
  return IndexedDataset::exists(folder_.prefix(split, setup_.source_language));
}

std::unique_ptr<Corpus> IndexedData::open(const std::string& split, bool training) const {
  if (training && has_split(split + "1")) {
    // fairseq joins train, train1, train2 …; a part must not be left out unsaid.
    throw DataError(fmt::format("{}: '{}' has a second part, '{}1', which would be left out",
                                setup_.folder,
                                split,
                                split),
                    "join the parts before preprocessing, or move the others away");
  }
  const auto side = [&](const std::string& language, int64_t vocabulary) {
    IndexedDataset dataset = folder_.dataset(split, language);
    if (vocabulary > 0)
      dataset.check_ids(vocabulary);
    return dataset;
  };
  IndexedDataset source = side(setup_.source_language, setup_.source_vocabulary);
  if (!training && !IndexedDataset::exists(folder_.prefix(split, setup_.target_language)))
    return std::make_unique<IndexedPairs>(std::move(source), std::nullopt);
  IndexedDataset target = side(setup_.target_language, setup_.target_vocabulary);
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
