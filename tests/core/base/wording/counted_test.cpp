#include "core/base/wording/counted.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(Counted, HasANounInTheSingularForOne) {
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(0, "thread"), "0 threads");
  EXPECT_EQ(counted(21, "sentence pair"), "21 sentence pairs");
}

TEST(Counted, KnowsTheRegularPlurals) {
  EXPECT_EQ(counted(2, "batch"), "2 batches");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(2, "key"), "2 keys");
}

}  // namespace
}  // namespace phraseq
