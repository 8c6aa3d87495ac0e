#include "core/distributed/process_group.h"

namespace phraseq {
namespace {

class SingleProcess final : public ProcessGroup {
 public:
  SingleProcess() : ProcessGroup(/*rank=*/0, /*size=*/1) {}
  std::vector<std::string> all_texts(const std::string& mine) override { return {mine}; }
  void take_from_first(at::Tensor& /*tensor*/) override {}
  void sum_in_rank_order(at::Tensor& /*values*/,
                         const std::vector<bool>& /*contributes*/,
                         Wire /*wire*/) override {}
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
