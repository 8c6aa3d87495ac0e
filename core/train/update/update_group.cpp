#include "core/train/update/update_group.h"

#include <utility>

namespace phraseq {

bool all_batches_delivered(const BatchIterator& batches) {
  return batches.batches_delivered() == batches.batches_in_epoch();
}

UpdateGroup gather_update(BatchIterator& batches, const UpdateSize& size, int64_t processes) {
  UpdateGroup group;
  group.contributes.resize(static_cast<size_t>(processes));
  int64_t tokens = 0;
  const auto full = [&] {
    return size.target_tokens > 0 ? tokens >= size.target_tokens
                                  : static_cast<int64_t>(group.sentence_ids.size()) >= size.batches;
  };
  while (!full() && (group.sentence_ids.empty() || !all_batches_delivered(batches))) {
    auto planned = batches.next_planned();
    if (!planned)
      break;
    tokens += planned->target_tokens;
    const auto position = static_cast<int64_t>(group.sentence_ids.size());
    group.sentence_ids.push_back(std::move(planned->sentence_ids));
    group.contributes[static_cast<size_t>(planned->owner)] = true;
    for (int64_t part = 0; Batch & batch : planned->micro_batches)
      group.micro_batches.push_back({position, std::move(batch), part++});
  }
  return group;
}

}  // namespace phraseq
