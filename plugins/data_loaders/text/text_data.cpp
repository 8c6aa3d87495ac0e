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
  /// `trees`: a file of the source's trees, or nothing. `seed`: segment at random, differently in
  /// every epoch.
  TextPairs(const DataLoaderSetup& setup,
            const std::string& source,
            const std::optional<std::string>& target,
            const std::optional<std::string>& trees,
            std::optional<uint64_t> seed)
      : source_(source, ids_with(setup.encode_source)), phrases_(setup.phrases), seed_(seed) {
    if (target)
      target_.emplace(*target, ids_with(setup.encode_target));
    if (trees)
      trees_.emplace(*trees, trees_with(setup.encode_tree, *trees));
    require_parallel(target_, "Line i of one file must be the translation of line i of the other.");
    require_parallel(trees_, "Line i must be the parse of line i, or empty if there is none.");
    encode(1);
    if (!seed_ && !phrases_)
      for_each_side([](TextSide& side, uint64_t) { side.forget_lines(); });
  }

  int64_t size() const override { return source_.size(); }
  int64_t source_length(int64_t index) const override { return source_.length(index); }
  int64_t target_length(int64_t index) const override {
    return target_ ? target_->length(index) : 0;
  }
  Example get(int64_t index) const override {
    Example example{
        index, source_.ids(index), target_ ? target_->ids(index) : std::vector<int64_t>(), {}};
    if (trees_)
      example.extras[kTreeExtra] = trees_->ids(index);
    if (phrases_) {
      const auto translation = target_ ? std::optional(target_->line(index)) : std::nullopt;
      example.phrases = phrases_->find(source_.line(index), translation);
    }
    return example;
  }
  void start_epoch(int64_t epoch) override {
    if (seed_ && epoch != epoch_)
      encode(epoch);
  }
  std::string fingerprint() const override {
    return fmt::format("text {} lines, crc32c {:08x} {:08x}{}{}",
                       size(),
                       source_.checksum(),
                       target_ ? target_->checksum() : 0,
                       trees_ ? fmt::format(", trees {:08x}", trees_->checksum()) : "",
                       phrases_ ? fmt::format(", phrases {:08x}", phrases_->fingerprint) : "");
  }

 private:
  static TextSide::Encode ids_with(
      std::function<std::vector<int64_t>(const std::string&, std::optional<uint64_t>)> encode) {
    return [encode = std::move(encode)](
               const std::string& line, int64_t /*place*/, std::optional<uint64_t> seed) {
      return encode(line, seed);
    };
  }
  TextSide::Encode trees_with(decltype(DataLoaderSetup::encode_tree) encode_tree,
                              const std::string& file) {
    return [this, file, encode_tree = std::move(encode_tree)](
               const std::string& tree, int64_t place, std::optional<uint64_t> seed) {
      return encode_tree(source_.line(place), tree, {file, place + 1, 0}, seed);
    };
  }
  void require_parallel(const std::optional<TextSide>& other, const char* remedy) const {
    if (!other || other->size() == source_.size())
      return;
    throw DataError(fmt::format("{} has {} lines, but {} has {}",
                                source_.path(),
                                source_.size(),
                                other->path(),
                                other->size()),
                    remedy);
  }

  /// Calls `use` with each side and the number that its random segmentations depend on; trees have
  /// the source's number, because they must match its segmentation.
  template <class Use>
  void for_each_side(Use&& use) {
    use(source_, 0);
    if (target_)
      use(*target_, 1);
    if (trees_)
      use(*trees_, 0);
  }
  void encode(int64_t epoch) {
    epoch_ = epoch;
    for_each_side(
        [this](TextSide& side, uint64_t number) { side.encode_all(seed_of_side(number)); });
  }
  std::optional<uint64_t> seed_of_side(uint64_t side) const {
    if (!seed_)
      return std::nullopt;
    return mix_seeds(mix_seeds(*seed_, static_cast<uint64_t>(epoch_)), side);
  }

  TextSide source_;
  std::optional<TextSide> target_;
  std::optional<TextSide> trees_;
  std::optional<PhraseSource> phrases_;
  std::optional<uint64_t> seed_;
  int64_t epoch_ = 0;
};

/// `samples`: text is needed for random segmentation, but the folder may contain indexed data.
[[noreturn]] void reject_missing(const std::string& file, bool samples) {
  if (samples) {
    throw UsageError(
        fmt::format("--bpe-dropout needs raw text, and there is no {} or {}.gz", file, file),
        "Indexed data is already segmented. Put the text that the folder was made from into it, as "
        "SPLIT.LANG (train.en, valid.en ...), or train without --bpe-dropout.");
  }
  throw IoError(file,
                "find the file (plain or .gz)",
                0,
                "The raw text of a split is expected in FOLDER/SPLIT.LANG.");
}

}  // namespace

TextData::TextData(const TextDataOptions&, const DataLoaderSetup& setup) : setup_(setup) {}

/// The path FOLDER/SPLIT.LANG, without ".LANG" if the language has no name.
std::string TextData::file_of(const std::string& split, const std::string& language) const {
  return fmt::format("{}/{}{}{}", setup_.folder, split, language.empty() ? "" : ".", language);
}

std::optional<std::string> TextData::find(const std::string& split,
                                          const std::string& language) const {
  const std::string plain = file_of(split, language);
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
    if (!file)
      reject_missing(file_of(split, language), setup_.sample);
    return *file;
  };
  const auto seed = training && setup_.sample ? std::optional(setup_.seed) : std::nullopt;
  const std::string source = require(setup_.source_language);
  std::optional<std::string> target;
  if (!setup_.target_language.empty())
    target = training ? require(setup_.target_language) : find(split, setup_.target_language);
  const auto trees = find(split, setup_.source_language + ".trees");
  return std::make_unique<TextPairs>(setup_, source, target, trees, seed);
}

}  // namespace phraseq
