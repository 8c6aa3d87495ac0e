#include "core/distributed/process_group.h"

namespace phraseq {
namespace {

class SingleProcess final : public ProcessGroup {
 public:
  SingleProcess() : ProcessGroup(/*rank=*/0, /*size=*/1) {}
  std::vector<std::string> all_texts(const std::string& mine) override { return {mine}; }
  void take_from_first(at::Tensor& /*tensor*/) override {}
  void sum_into(at::Tensor& sums,
                const at::Tensor& mine,
                const std::vector<bool>& /*contributes*/,
                Wire /*wire*/) override {
    if (!sums.is_same(mine))
      sums.copy_(mine);
  }
  void gather_shards(at::Tensor& /*values*/, int64_t /*shard_size*/) override {}
};

}  // namespace

std::string ProcessGroup::text_of_first(const std::string& text) {
  return all_texts(is_first() ? text : std::string()).front();
}

ProcessGroup& single_process() {
  static SingleProcess group;
  return group;
}

}  // namespace phraseq
