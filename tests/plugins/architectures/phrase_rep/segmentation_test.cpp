#include "plugins/architectures/phrase_rep/segmentation.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/collate.h"
#include "plugins/architectures/phrase_rep/phrase_index.h"
#include "plugins/architectures/phrase_rep/width.h"

namespace phraseq::phrase_rep {
namespace {

using testing::ElementsAre;

SegmentationOptions rounded(Rounding rounding) {
  SegmentationOptions options;
  options.rounding = rounding;
  return options;
}

/// The tokens per phrase and the number of phrases.
std::pair<int64_t, int64_t> sizes(int64_t length, Rounding rounding) {
  const int64_t n = phrase_size(length, rounded(rounding));
  return {n, static_cast<int64_t>(ngram_phrases(length, n).size())};
}

TEST(Segmentation, HasTheExpectedPhraseLengths) {
  struct Row {
    int64_t length, ceil_n, ceil_count, floor_n, floor_count;
  };
  for (const Row& row : {Row{1, 3, 1, 3, 1},
                         Row{3, 3, 1, 3, 1},
                         Row{6, 3, 2, 3, 2},
                         Row{18, 3, 6, 3, 6},
                         Row{19, 4, 5, 3, 7},
                         Row{25, 5, 5, 4, 7},
                         Row{37, 7, 6, 6, 7},
                         Row{43, 8, 6, 7, 7},
                         Row{48, 8, 6, 8, 6},
                         Row{60, 8, 8, 8, 8},
                         Row{256, 8, 32, 8, 32}}) {
    EXPECT_EQ(sizes(row.length, Rounding::kCeil), std::pair(row.ceil_n, row.ceil_count))
        << row.length;
    EXPECT_EQ(sizes(row.length, Rounding::kFloor), std::pair(row.floor_n, row.floor_count))
        << row.length;
  }
}

TEST(Segmentation, RoundsHalvesUp) {
  EXPECT_EQ(phrase_size(27, rounded(Rounding::kRound)), 5);  // 4.5
  EXPECT_EQ(phrase_size(26, rounded(Rounding::kRound)), 4);  // 4.33
}

TEST(Segmentation, LeavesTheRestToTheLastPhrase) {
  EXPECT_THAT(ngram_phrases(8, 3), ElementsAre(3, 3, 2));
  EXPECT_THAT(ngram_phrases(2, 3), ElementsAre(2));
  EXPECT_TRUE(ngram_phrases(0, 3).empty());
}

Example with_tree(std::vector<int64_t> source, std::vector<int64_t> tree) {
  return {0, std::move(source), {}, {{kTreeExtra, std::move(tree)}}};
}

// Worked example 1: (S (NP the cat) (VP sat (PP on (NP the mat)))).
const std::vector<int64_t> kCat = {5, 5, 2, 2, 5, 2, 5, 2, 5, 2, 2};

TEST(Segmentation, GivesSpecialTokensPhrasesOfTheirOwnOrJoinsThem) {
  SegmentationOptions options;
  options.from_trees = options.source_has_bos = true;
  const Example example = with_tree({4, 5, 6, 7, 8, 9, 2}, kCat);
  EXPECT_THAT(parsed_phrases(example, 8, options), ElementsAre(1, 3, 3, 1));
  options.join_specials = true;
  EXPECT_THAT(parsed_phrases(example, 8, options), ElementsAre(4, 4));
  options.source_has_bos = false;
  EXPECT_THAT(parsed_phrases(example, 7, options), ElementsAre(3, 4));
}

TEST(Segmentation, FallsBackToNgramsWhereTheParserGaveUp) {
  SegmentationOptions options;
  options.from_trees = true;
  EXPECT_THAT(parsed_phrases(with_tree({4, 5, 6, 7, 2}, {}), 5, options), ElementsAre(3, 2));
}

TEST(Segmentation, RejectsDataWithoutTreesAndTreesOfOtherSentences) {
  SegmentationOptions options;
  options.from_trees = true;
  EXPECT_THROW(parsed_phrases({0, {4, 2}, {}, {}}, 2, options), DataError);
  EXPECT_THROW(parsed_phrases(with_tree({4, 5, 2}, kCat), 3, options), DataError);
}

Batch collated(const std::vector<Example>& examples, const SegmentationOptions& options) {
  return collate_pairs(examples, {false, options.source_has_bos, phrase_extension(options)});
}

TEST(Segmentation, GivesABatchThePositionsOfItsPhrases) {
  const std::vector<Example> examples = {{0, {4, 5, 6, 2}, {}, {}}, {1, {7, 2}, {}, {}}};
  const PhraseIndex index = PhraseIndex::of(collated(examples, {}));
  EXPECT_THAT(index.offsets, ElementsAre(0, 3, 4, 6));
  EXPECT_THAT(index.phrases.offsets, ElementsAre(0, 2, 3));
}

TEST(Segmentation, ByTheBatchTakesTheLongestSentencesSize) {
  std::vector<Example> examples = {{0, std::vector<int64_t>(19, 4), {}, {}},
                                   {1, {7, 8, 9, 2}, {}, {}}};
  SegmentationOptions options;
  EXPECT_THAT(PhraseIndex::of(collated(examples, options)).offsets,
              ElementsAre(0, 4, 8, 12, 16, 19, 22, 23));
  options.by_batch = true;
  EXPECT_THAT(PhraseIndex::of(collated(examples, options)).offsets,
              ElementsAre(0, 4, 8, 12, 16, 19, 23));
}

TEST(Width, IsANumberOrAMultipleOfTheModelOrOneForEachStack) {
  const auto widths = [](const char* text) -> std::vector<int64_t> {
    const auto found = parse_widths(text, 10, 20);
    return found ? std::vector{found->encoder, found->decoder} : std::vector<int64_t>{};
  };
  EXPECT_THAT(widths("1536"), ElementsAre(1536, 1536));
  EXPECT_THAT(widths("3d"), ElementsAre(30, 60));
  EXPECT_THAT(widths("d"), ElementsAre(10, 20));
  EXPECT_THAT(widths("4d,2d"), ElementsAre(40, 40));
  for (const char* bad : {"", "3x", "-2", "0d", "3,", ",3", "1.5d", "3d,2d,1d"})
    EXPECT_TRUE(widths(bad).empty()) << bad;
}

}  // namespace
}  // namespace phraseq::phrase_rep
