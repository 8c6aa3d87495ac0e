#include "plugins/architectures/phrase_rep/segmentation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/data/phrases/phrase_extras.h"

namespace phraseq::phrase_rep {
namespace {

int64_t divide(int64_t a, int64_t b, Rounding rounding) {
  switch (rounding) {
    case Rounding::kCeil:
      return (a + b - 1) / b;
    case Rounding::kRound:
      return (2 * a + b) / (2 * b);
    case Rounding::kFloor:
      break;
  }
  return a / b;
}

const std::vector<int64_t>& tree_of(const Example& example) {
  const auto found = example.extras.find(kTreeExtra);
  if (found != example.extras.end())
    return found->second;
  throw DataError(fmt::format("sentence {} has no parse tree", example.id + 1),
                  "The model's --pr-seg parse needs trees: phraseq preprocess --trees puts them "
                  "into a data folder, --trees FILE gives the trees of lines of text; "
                  "--model-overrides pr-seg=ngram does not need them.");
}

/// <s> and </s> as separate phrases, or as part of their neighbors.
void add_specials(std::vector<int64_t>& phrases, const SegmentationOptions& options) {
  if (options.join_specials && !phrases.empty()) {
    phrases.front() += options.source_has_bos ? 1 : 0;
    phrases.back() += 1;
    return;
  }
  if (options.source_has_bos)
    phrases.insert(phrases.begin(), 1);
  phrases.push_back(1);
}

}  // namespace

int64_t phrase_size(int64_t length, const SegmentationOptions& options) {
  const int64_t share = divide(length, options.divisor, options.rounding);
  return std::max(std::min(options.longest, share), options.shortest);
}

std::vector<int64_t> ngram_phrases(int64_t length, int64_t n) {
  std::vector<int64_t> phrases(static_cast<size_t>(length / n), n);
  if (length % n != 0)
    phrases.push_back(length % n);
  return phrases;
}

std::vector<int64_t> parsed_phrases(const Example& example,
                                    int64_t length,
                                    const SegmentationOptions& options) {
  const std::vector<int64_t>& encoded = tree_of(example);
  const int64_t n = phrase_size(length, options);
  if (encoded.empty())
    return ngram_phrases(length, n);
  std::vector<int64_t> phrases = tree_phrases(SubwordTree::decode(encoded), n, options.trees);
  add_specials(phrases, options);
  const int64_t covered = std::accumulate(phrases.begin(), phrases.end(), int64_t{0});
  if (covered != length) {
    throw DataError(fmt::format("sentence {}: the tree covers {} tokens, but the sentence has {}",
                                example.id + 1,
                                covered,
                                length),
                    "Trees are stored for whole sentences and one subword model; preprocess again, "
                    "and do not truncate sources.");
  }
  return phrases;
}

BatchExtension phrase_extension(const SegmentationOptions& options) {
  return [options](const std::vector<Example>& examples, Batch& batch) {
    const int64_t batch_size = phrase_size(batch.source.max_length(), options);
    std::vector<int64_t> offsets = {0};
    std::vector<int64_t> of_sentence = {0};
    for (int64_t i = 0; i < batch.sentences(); ++i) {
      const int64_t length = batch.source.length(i);
      const auto phrases =
          options.from_trees
              ? parsed_phrases(examples[static_cast<size_t>(i)], length, options)
              : ngram_phrases(length, options.by_batch ? batch_size : phrase_size(length, options));
      for (const int64_t phrase : phrases) offsets.push_back(offsets.back() + phrase);
      of_sentence.push_back(static_cast<int64_t>(offsets.size()) - 1);
    }
    batch.host_extras[kPhraseOffsets] = std::move(offsets);
    batch.host_extras[kSentencePhrases] = std::move(of_sentence);
  };
}

}  // namespace phraseq::phrase_rep
