#include "plugins/data_loaders/text/text_data.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "plugins/data_loaders/text/text_side.h"

namespace phraseq {
namespace {

class TextPairs final : public Corpus {
 public:
  /// `seed`: segment at random, anew in every epoch.
  TextPairs(TextSide source, std::optional<TextSide> target, std::optional<uint64_t> seed)
      : source_(std::move(source)), target_(std::move(target)), seed_(seed) {
    encode(1);
    if (seed_)
      return;
    source_.forget_lines();
    if (target_)
      target_->forget_lines();
  }

  int64_t size() const override { return source_.size(); }
  int64_t source_length(int64_t index) const override { return source_.length(index); }
  int64_t target_length(int64_t index) const override {
    return target_ ? target_->length(index) : 0;
  }
  Example get(int64_t index) const override {
    return {index, source_.ids(index), target_ ? target_->ids(index) : std::vector<int64_t>(), {}};
  }
  void start_epoch(int64_t epoch) override {
    if (seed_ && epoch != epoch_)
      encode(epoch);
  }
  std::string fingerprint() const override {
    return fmt::format("text {} lines, crc32c {:08x} {:08x}",
                       size(),
                       source_.checksum(),
                       target_ ? target_->checksum() : 0);
  }

 private:
  void encode(int64_t epoch) {
    epoch_ = epoch;
    source_.encode_all(seed_of_side(0));
    if (target_)
      target_->encode_all(seed_of_side(1));
  }
  std::optional<uint64_t> seed_of_side(uint64_t side) const {
    if (!seed_)
      return std::nullopt;
    return mix_seeds(mix_seeds(*seed_, static_cast<uint64_t>(epoch_)), side);
  }

  TextSide source_;
  std::optional<TextSide> target_;
  std::optional<uint64_t> seed_;
  int64_t epoch_ = 0;
};

}  // namespace

TextData::TextData(const TextDataOptions&, const DataLoaderSetup& setup) : setup_(setup) {}

std::optional<std::string> TextData::find(const std::string& split,
                                          const std::string& language) const {
  const std::string plain = fmt::format("{}/{}.{}", setup_.folder, split, language);
  for (const std::string& file : {plain, plain + ".gz"}) {
    if (std::filesystem::is_regular_file(file))
      return file;
  }
  return std::nullopt;
}

bool TextData::has_split(const std::string& split) const {
  return find(split, setup_.source_language).has_value();
}

std::unique_ptr<Corpus> TextData::open(const std::string& split, bool training) const {
  const auto require = [&](const std::string& language) {
    const auto file = find(split, language);
    if (file)
      return *file;
    throw IoError(fmt::format("{}/{}.{}", setup_.folder, split, language),
                  "find it, or it with .gz",
                  0,
                  "raw text of a split is FOLDER/SPLIT.LANG");
  };
  const auto seed = training && setup_.sample ? std::optional(setup_.seed) : std::nullopt;
  TextSide source(require(setup_.source_language), setup_.encode_source);
  if (!training && !find(split, setup_.target_language))
    return std::make_unique<TextPairs>(std::move(source), std::nullopt, seed);
  TextSide target(require(setup_.target_language), setup_.encode_target);
  if (source.size() != target.size()) {
    throw DataError(fmt::format("{} has {} lines, but {} has {}",
                                source.path(),
                                source.size(),
                                target.path(),
                                target.size()),
                    "line i of one file has to be the translation of line i of the other");
  }
  return std::make_unique<TextPairs>(std::move(source), std::move(target), seed);
}

}  // namespace phraseq
