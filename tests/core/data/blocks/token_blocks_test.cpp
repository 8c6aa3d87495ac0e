#include "core/data/blocks/token_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/blocks/block_corpus.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<int64_t>;

/// "sentence:offset+tokens" of every block.
std::vector<std::string> blocks_of(const std::vector<int64_t>& lengths,
                                   BreakMode mode,
                                   int64_t tokens) {
  std::vector<std::string> texts;
  for (const TokenBlock& block : cut_into_blocks(lengths, {mode, tokens, false}))
    texts.push_back(std::to_string(block.first) + ":" + std::to_string(block.offset) + "+" +
                    std::to_string(block.tokens));
  return texts;
}

// The blocks below are those of fairseq 0.12.2's TokenBlockDataset.
TEST(TokenBlocks, AreCutAnywhere) {
  EXPECT_THAT(blocks_of({3, 5, 1, 2}, BreakMode::kNone, 4), ElementsAre("0:0+4", "1:1+4", "2:0+3"));
  EXPECT_THAT(blocks_of({9}, BreakMode::kNone, 4), ElementsAre("0:0+4", "0:4+4", "0:8+1"));
}

TEST(TokenBlocks, AreCutAfterSentences) {
  EXPECT_THAT(blocks_of({3, 5, 1, 2, 9, 1}, BreakMode::kComplete, 8),
              ElementsAre("0:0+8", "2:0+3", "4:0+9", "5:0+1"));
  EXPECT_THAT(blocks_of({3, 5, 1}, BreakMode::kSentence, 8),
              ElementsAre("0:0+3", "1:0+5", "2:0+1"));
}

TEST(TokenBlocks, AreCutAtEmptyLinesBetweenDocuments) {
  EXPECT_THAT(blocks_of({3, 4, 1, 2, 1, 1, 5, 6}, BreakMode::kCompleteDoc, 8),
              ElementsAre("0:0+7", "3:0+2", "6:0+5", "7:0+6"));
}

TEST(TokenBlocks, NeedAChoice) {
  EXPECT_THROW(cut_into_blocks({3}, {BreakMode::kAuto, 8, false}), UsageError);
}

class Sentences final : public Corpus {
 public:
  explicit Sentences(std::vector<Ids> sentences) : sentences_(std::move(sentences)) {}
  int64_t size() const override { return static_cast<int64_t>(sentences_.size()); }
  int64_t source_length(int64_t index) const override {
    return static_cast<int64_t>(sentences_[static_cast<size_t>(index)].size());
  }
  int64_t target_length(int64_t /*index*/) const override { return 0; }
  Example get(int64_t index) const override {
    return {index, sentences_[static_cast<size_t>(index)], {}, {}};
  }
  /// Changes the sentences, as when they are segmented again.
  void start_epoch(int64_t epoch) override {
    if (epoch == 2)
      sentences_ = {{4, kEos}};
  }
  std::string fingerprint() const override { return "sentences"; }

 private:
  std::vector<Ids> sentences_;
};

BlockCorpus corpus_of(const BlockOptions& options) {
  return {std::make_unique<Sentences>(
              std::vector<Ids>{{4, 5, kEos}, {6, 7, 8, 9, kEos}, {kEos}, {4, kEos}}),
          options};
}

TEST(BlockCorpus, PredictsEachTokenFromThoseBefore) {
  const BlockCorpus corpus = corpus_of({BreakMode::kNone, 4, false});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(corpus.get(0).source, (Ids{kEos, 4, 5, kEos}));
  EXPECT_EQ(corpus.get(0).target, (Ids{4, 5, kEos, 6}));
  EXPECT_EQ(corpus.get(1).source, (Ids{6, 7, 8, 9}));  // 6 ends the block before
  EXPECT_EQ(corpus.get(1).target, (Ids{7, 8, 9, kEos}));
  EXPECT_EQ(corpus.get(2).source, (Ids{kEos, kEos, 4}));
  EXPECT_EQ(corpus.get(2).target, (Ids{kEos, 4, kEos}));
  EXPECT_EQ(corpus.target_length(2), 3);
  EXPECT_EQ(corpus.get(2).extras.at(kPromptExtra), (Ids{kEos, 4}));
  EXPECT_EQ(corpus.empty_lengths().source, 0);
}

TEST(BlockCorpus, BeginsBlocksWithBosWhereAskedTo) {
  const BlockCorpus corpus = corpus_of({BreakMode::kSentence, 4, true});
  ASSERT_EQ(corpus.size(), 4);
  EXPECT_EQ(corpus.get(0).source, (Ids{kBos, kEos, 4, 5}));
  EXPECT_EQ(corpus.get(0).target, (Ids{kBos, 4, 5, kEos}));
  EXPECT_EQ(corpus.target_length(0), 4);
}

TEST(BlockCorpus, IsCutAgainWhenSentencesAreSegmentedAgain) {
  BlockCorpus corpus = corpus_of({BreakMode::kNone, 4, false});
  corpus.start_epoch(2);
  ASSERT_EQ(corpus.size(), 1);
  EXPECT_EQ(corpus.get(0).target, (Ids{4, kEos}));
}

TEST(BlockCorpus, IsOtherDataWhenItIsCutInAnotherWay) {
  EXPECT_NE(corpus_of({BreakMode::kNone, 4, false}).fingerprint(),
            corpus_of({BreakMode::kNone, 5, false}).fingerprint());
  EXPECT_NE(corpus_of({BreakMode::kSentence, 4, false}).fingerprint(),
            corpus_of({BreakMode::kSentence, 4, true}).fingerprint());
}

}  // namespace
}  // namespace phraseq
