#include "core/distributed/agreement.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Three processes whose texts are given.
class TextsOfThree final : public ProcessGroup {
 public:
  explicit TextsOfThree(std::vector<nlohmann::json> records)
      : ProcessGroup(0, 3), records_(std::move(records)) {}
  std::vector<std::string> all_texts(const std::string& mine) override {
    return {mine, records_[0].dump(), records_[1].dump()};
  }
  void take_from_first(at::Tensor& /*tensor*/) override {}
  void sum_into(at::Tensor& /*sums*/,
                const at::Tensor& /*mine*/,
                const std::vector<bool>& /*contributes*/,
                Wire /*wire*/) override {}
  void gather_shards(at::Tensor& /*values*/, int64_t /*shard_size*/) override {}

 private:
  std::vector<nlohmann::json> records_;
};

TEST(RequireAgreement, AcceptsEqualRecords) {
  const nlohmann::json record = {{"options", {{"lr", 0.5}}}, {"data", "x"}};
  TextsOfThree processes({record, record});
  EXPECT_NO_THROW(require_agreement(processes, record));
}

TEST(RequireAgreement, ListsEveryDifferenceWithTheRank) {
  const nlohmann::json first = {{"options", {{"lr", 0.5}, {"seed", 1}}}, {"plugins", {{"a", "1"}}}};
  const nlohmann::json second = {{"options", {{"lr", 0.5}, {"seed", 2}}},
                                 {"plugins", {{"a", "1"}}}};
  const nlohmann::json third = {{"options", {{"lr", 0.25}, {"seed", 1}}},
                                {"plugins", {{"a", "1"}, {"b", "2"}}}};
  TextsOfThree processes({second, third});
  try {
    require_agreement(processes, first);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("the processes of this run differ"),
                      HasSubstr("options/seed: 1 on rank 0, 2 on rank 1"),
                      HasSubstr("options/lr: 0.5 on rank 0, 0.25 on rank 2"),
                      HasSubstr("plugins/b: not there on rank 0, \"2\" on rank 2")));
  }
}

}  // namespace
}  // namespace phraseq
