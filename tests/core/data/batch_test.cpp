#include "core/data/batch.h"

#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

PackedTokens three_sentences() { return PackedTokens::pack({{7, 8, 2}, {2}, {5, 2}}); }

TEST(PackedTokens, PutsSentencesOneAfterTheOther) {
  const PackedTokens tokens = three_sentences();
  EXPECT_EQ(tokens.sentences(), 3);
  EXPECT_EQ(tokens.tokens(), 6);
  EXPECT_EQ(tokens.offsets, (std::vector<int64_t>{0, 3, 4, 6}));
  EXPECT_TRUE(at::equal(tokens.ids, at::tensor({7, 8, 2, 2, 5, 2}, at::kLong)));
  EXPECT_TRUE(at::equal(tokens.positions, at::tensor({0, 1, 2, 0, 0, 1}, at::kLong)));
  EXPECT_EQ(tokens.length(1), 1);
  EXPECT_EQ(tokens.max_length(), 3);
}

TEST(PackedTokens, PadsAtTheRight) {
  EXPECT_TRUE(at::equal(three_sentences().padded(1),
                        at::tensor({7, 8, 2, 2, 1, 1, 5, 2, 1}, at::kLong).view({3, 3})));
}

TEST(PackedTokens, MarksRealTokens) {
  EXPECT_TRUE(at::equal(three_sentences().mask().to(at::kLong),
                        at::tensor({1, 1, 1, 1, 0, 0, 1, 1, 0}, at::kLong).view({3, 3})));
}

TEST(PackedTokens, PadsRowsWithZerosAndTakesThemBack) {
  const PackedTokens tokens = three_sentences();
  const at::Tensor rows = at::arange(1, 13, at::kFloat).view({6, 2});
  const at::Tensor padded = tokens.pad_rows(rows);
  EXPECT_EQ(padded.sizes(), (at::IntArrayRef{3, 3, 2}));
  EXPECT_TRUE(at::equal(padded[1], at::tensor({7.F, 8.F, 0.F, 0.F, 0.F, 0.F}).view({3, 2})));
  EXPECT_TRUE(at::equal(tokens.unpad_rows(padded), rows));
}

TEST(PackedTokens, SendsGradientsThroughPaddingAndBack) {
  const PackedTokens tokens = three_sentences();
  const at::Tensor rows = at::ones({6, 2}, at::kDouble).set_requires_grad(true);
  tokens.unpad_rows(tokens.pad_rows(rows) * 3).sum().backward();
  EXPECT_TRUE(at::equal(rows.grad(), at::full({6, 2}, 3.0, at::kDouble)));
}

TEST(PackedTokens, HoldsNothingBeforeItIsPacked) {
  EXPECT_EQ(PackedTokens().sentences(), 0);
  EXPECT_EQ(PackedTokens().tokens(), 0);
  EXPECT_EQ(PackedTokens().max_length(), 0);
}

TEST(Batch, MovesWithItsExtrasAndWithoutATarget) {
  Batch batch;
  batch.sentence_ids = {4, 9, 1};
  batch.source = three_sentences();
  batch.extras["phrases"] = at::tensor({1, 2}, at::kLong);
  batch.host_extras["runs"] = {0, 3};
  const Batch moved = batch.to(at::kCPU);
  EXPECT_FALSE(moved.has_target());
  EXPECT_EQ(moved.sentences(), 3);
  EXPECT_EQ(moved.sentence_ids, batch.sentence_ids);
  EXPECT_TRUE(at::equal(moved.extras.at("phrases"), batch.extras.at("phrases")));
  EXPECT_EQ(moved.host_extras, batch.host_extras);
}

}  // namespace
}  // namespace phraseq
