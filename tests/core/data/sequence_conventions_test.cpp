#include "core/data/sequence_conventions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text/dictionary.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> source_of(bool bos, bool eos, std::vector<int64_t> ids) {
  SequenceConventions conventions;
  conventions.source_has_bos = bos;
  conventions.source_has_eos = eos;
  Example example;
  example.source = std::move(ids);
  return conventions.source_of(example);
}

TEST(SequenceConventions, AddTheStartAndTakeTheEndOfASource) {
  EXPECT_THAT(source_of(false, true, {7, 8, kEos}), ElementsAre(7, 8, kEos));
  EXPECT_THAT(source_of(true, true, {7, 8, kEos}), ElementsAre(kBos, 7, 8, kEos));
  EXPECT_THAT(source_of(false, false, {7, 8, kEos}), ElementsAre(7, 8));
  EXPECT_THAT(source_of(true, false, {7, 8, kEos}), ElementsAre(kBos, 7, 8));
}

TEST(SequenceConventions, LeaveATokenInASourceWithoutWords) {
  EXPECT_THAT(source_of(false, false, {kEos}), ElementsAre(kEos));
  EXPECT_THAT(source_of(true, false, {kEos}), ElementsAre(kBos));
}

TEST(SequenceConventions, KeepASourceThatWasTruncated) {
  EXPECT_THAT(source_of(false, false, {7, 8}), ElementsAre(7, 8));
}

}  // namespace
}  // namespace phraseq
