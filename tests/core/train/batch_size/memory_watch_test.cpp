#include "core/train/batch_size/memory_watch.h"

#include <ATen/ops/empty.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/nn/memory/caching_allocator.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

TEST(MemoryModel, CountsTheMostOfEachTokenAmongLargePasses) {
  MemoryModel model;
  EXPECT_EQ(model.tokens_within(1000), std::nullopt);
  model.note(100, 800);
  EXPECT_EQ(model.tokens_within(1600), 200);
  model.note(60, 600);  // longer sentences
  EXPECT_EQ(model.tokens_within(1600), 160);
  model.note(40, 4000);  // fewer than half the tokens: mostly a constant need
  EXPECT_EQ(model.tokens_within(1600), 160);
  model.note(300, 2700);
  EXPECT_EQ(model.tokens_within(1600), 160);
  EXPECT_EQ(model.largest(), 300);
}

TEST(MemoryModel, KnowsTheLargestPassEvenWithoutBytes) {
  MemoryModel model;
  model.note(100, 0);
  EXPECT_EQ(model.largest(), 100);
  EXPECT_EQ(model.tokens_within(1000), std::nullopt);
}

TEST(MemoryWatch, GivesAdviceFromTheNeedOfAPass) {
  nn::install_caching_allocator();
  MemoryWatch watch(c10::kCPU);
  EXPECT_EQ(watch.advice(900, 1 << 30),
            "no batch has fit into memory yet: reduce --max-tokens below 900");
  watch.begin_pass();
  (void)at::empty({int64_t{1} << 23}, at::kByte);
  watch.end_pass(100);
  // 8 MiB and a page for the header make 83,927 bytes per token; 90 % of 64 MiB are usable.
  EXPECT_EQ(watch.advice(900, 64 << 20),
            "--max-tokens 719 would fit (64 MiB are free, and batches of up to 100 tokens "
            "needed 84 kB per token)");
  // By the measurement, a batch would fit that is larger than one that did not.
  EXPECT_EQ(watch.advice(120, 64 << 20),
            "batches of up to 100 tokens have fit: --max-tokens 90 would fit");
}

TEST(BytesText, HasOneUnit) {
  EXPECT_EQ(bytes_text(300 << 20), "300 MiB");
  EXPECT_EQ(bytes_text(270336), "0.3 MiB");
  EXPECT_EQ(bytes_text(int64_t{5} << 29), "2.50 GiB");
}

}  // namespace
}  // namespace phraseq
