#include "plugins/data_loaders/indexed/indexed_data.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/phrase_memory/table/phrase_table.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Returns a sentence of a file, with </s>, which files of other programs may lack.
std::vector<int64_t> sentence_of(const IndexedDataset& side, int64_t index) {
  std::vector<int64_t> ids = side.get(index);
  if (ids.empty() || ids.back() != kEos) {
    throw DataError(
        fmt::format("{}.bin: sentence {} does not end in </s>", side.prefix(), index + 1),
        "phraseq preprocess and fairseq-preprocess add it to each sentence.");
  }
  return ids;
}

class IndexedPairs final : public Corpus {
 public:
  IndexedPairs(IndexedDataset source,
               std::optional<IndexedDataset> target,
               std::optional<IndexedDataset> trees,
               std::optional<IndexedDataset> alignments,
               std::optional<IndexedPhrases> phrases)
      : source_(std::move(source)),
        target_(std::move(target)),
        trees_(std::move(trees)),
        alignments_(std::move(alignments)),
        phrases_(std::move(phrases)) {}

  int64_t size() const override { return source_.size(); }
  int64_t source_length(int64_t index) const override { return source_.length(index); }
  int64_t target_length(int64_t index) const override {
    return target_ ? target_->length(index) : 0;
  }
  Example get(int64_t index) const override {
    Example example{index,
                    sentence_of(source_, index),
                    target_ ? sentence_of(*target_, index) : std::vector<int64_t>(),
                    {}};
    if (trees_)
      example.extras[kTreeExtra] = tree_of(example);
    if (alignments_)
      example.extras[kAlignmentExtra] = alignment_of(example);
    if (phrases_)
      example.phrases = phrases_->of(example);
    return example;
  }
  void start_epoch(int64_t) override {
    source_.require_unchanged();
    for (const auto* side : {&target_, &trees_, &alignments_}) {
      if (*side)
        (*side)->require_unchanged();
    }
    if (phrases_)
      phrases_->dataset().require_unchanged();
  }
  std::string fingerprint() const override {
    return fmt::format("indexed {} sentences, crc32c {:08x} {:08x}, ids {:08x} {:08x}{}{}{}",
                       size(),
                       source_.fingerprint(),
                       target_ ? target_->fingerprint() : 0,
                       source_.ids_fingerprint(),
                       target_ ? target_->ids_fingerprint() : 0,
                       trees_ ? fmt::format(", trees {:08x}, tree ids {:08x}",
                                            trees_->fingerprint(),
                                            trees_->ids_fingerprint())
                              : "",
                       alignments_ ? fmt::format(", alignments {:08x} {:08x}",
                                                 alignments_->fingerprint(),
                                                 alignments_->ids_fingerprint())
                                   : "",
                       phrases_ ? fmt::format(", phrases {:08x}", phrases_->fingerprint()) : "");
  }

 private:
  std::vector<int64_t> tree_of(const Example& example) const {
    std::vector<int64_t> code = trees_->get(example.id);
    const int64_t covered = SubwordTree::decode(code).subwords;
    const auto words = static_cast<int64_t>(example.source.size()) - 1;  // without </s>
    if (!code.empty() && covered != words) {
      throw FormatError(fmt::format("{}: tree {} covers {} subwords, the sentence has {}",
                                    trees_->prefix(),
                                    example.id + 1,
                                    covered,
                                    words),
                        "The trees belong to another text; run phraseq preprocess again.");
    }
    return code;
  }

  std::vector<int64_t> alignment_of(const Example& example) const {
    std::vector<int64_t> places = alignments_->get(example.id);
    const auto is_in = [](int64_t place, const std::vector<int64_t>& sentence) {
      return place >= 0 && place + 1 < static_cast<int64_t>(sentence.size());  // without </s>
    };
    bool fits = places.size() % 2 == 0;
    for (size_t i = 0; fits && i < places.size(); i += 2)
      fits = is_in(places[i], example.source) && is_in(places[i + 1], example.target);
    if (!fits) {
      throw FormatError(
          fmt::format("{}: the alignment of sentence {} has a link outside of its {} source and {} "
                      "target tokens",
                      alignments_->prefix(),
                      example.id + 1,
                      example.source.size() - 1,
                      example.target.size() - 1),
          "The alignments belong to another text. Run phraseq preprocess again with "
          "--align-suffix; with --on-bad-alignment skip, such pairs have no alignment.");
    }
    return places;
  }

  IndexedDataset source_;
  std::optional<IndexedDataset> target_;
  std::optional<IndexedDataset> trees_;
  std::optional<IndexedDataset> alignments_;
  std::optional<IndexedPhrases> phrases_;
};

void require_equal_sizes(const IndexedDataset& a, const IndexedDataset& b) {
  if (a.size() == b.size())
    return;
  throw DataError(
      fmt::format("{}: {} sentences, but {}: {}", a.prefix(), a.size(), b.prefix(), b.size()),
      "Run phraseq preprocess again on line-parallel files.");
}

}  // namespace

IndexedData::IndexedData(const IndexedDataOptions&, const DataLoaderSetup& setup)
    : folder_(setup.target_language.empty()
                  ? DataFolder::open_monolingual(setup.folder, setup.source_language)
                  : DataFolder::open(setup.folder, setup.source_language, setup.target_language)),
      setup_(setup) {}

bool IndexedData::has_split(const std::string& split) const {
  return folder_.lists_split(split) && has_files(split);
}

bool IndexedData::has_files(const std::string& split) const {
  return IndexedDataset::exists(folder_.prefix(split, folder_.source()));
}

/// Throws DataError rather than silently ignoring a part of the training set that the manifest does
/// not list.
void IndexedData::refuse_unlisted_part(const std::string& split) const {
  if (!has_files(split + "1") || folder_.lists_split(split + "1"))
    return;
  throw DataError(
      fmt::format("{}: '{}1' is not in the manifest and would be ignored", setup_.folder, split),
      "Give all training text to phraseq preprocess as one --trainpref, or make a data folder of "
      "each part and train on A:B. A folder without manifest.json, as fairseq makes it, may have "
      "several parts.");
}

IndexedDataset IndexedData::open_side(const std::string& split,
                                      const std::string& language,
                                      int64_t vocabulary) const {
  IndexedDataset dataset = folder_.dataset(split, language);
  if (vocabulary > 0)
    dataset.check_ids(vocabulary);
  return dataset;
}

bool IndexedData::has_target(const std::string& split) const {
  return IndexedDataset::exists(folder_.prefix(split, setup_.target_language));
}

std::unique_ptr<Corpus> IndexedData::open(const std::string& split, bool training) const {
  if (training && setup_.sample)
    throw UsageError("--bpe-dropout needs raw text: --data-loader text, not indexed");
  if (training)
    refuse_unlisted_part(split);
  IndexedDataset source = open_side(split, folder_.source(), setup_.source_vocabulary);
  std::optional<IndexedDataset> target, trees, alignments;
  if (!setup_.target_language.empty() && (training || has_target(split)))
    target.emplace(open_side(split, setup_.target_language, setup_.target_vocabulary));
  if (folder_.has_trees(split, folder_.source()))
    trees.emplace(folder_.trees(split, folder_.source()));
  if (setup_.alignments && (training || folder_.has_alignments(split)))
    alignments.emplace(open_alignments(split));
  for (const auto* part : {&target, &trees, &alignments}) {
    if (*part)
      require_equal_sizes(source, **part);
  }
  std::optional<IndexedPhrases> phrases;
  if (setup_.phrases) {
    phrases.emplace(open_phrases(split));
    require_equal_sizes(source, phrases->dataset());
  }
  return std::make_unique<IndexedPairs>(std::move(source),
                                        std::move(target),
                                        std::move(trees),
                                        std::move(alignments),
                                        std::move(phrases));
}

IndexedDataset IndexedData::open_alignments(const std::string& split) const {
  if (!folder_.has_alignments(split)) {
    throw DataError(
        fmt::format(
            "--load-alignments: there is no {}.idx",
            alignments_prefix(setup_.folder, split, folder_.source(), setup_.target_language)),
        "Run phraseq preprocess with --align-suffix, for this direction of translation.");
  }
  return folder_.alignments(split);
}

IndexedPhrases IndexedData::open_phrases(const std::string& split) const {
  if (!folder_.has_phrases(split, folder_.source())) {
    throw DataError(
        fmt::format("{}: the task needs the phrases of '{}', but its {} sentences have none",
                    setup_.folder,
                    split,
                    folder_.source()),
        "Run phraseq preprocess with --phrase-table FILE (or --pn-rules), or translate raw text.");
  }
  return {folder_.phrases(split, folder_.source()), [this](const std::vector<std::string>& words) {
            std::vector<int64_t> ids = setup_.encode_target(phrase_text(words), std::nullopt);
            ids.pop_back();  // </s>
            return ids;
          }};
}

}  // namespace phraseq
