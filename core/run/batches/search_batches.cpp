#include "core/run/batches/search_batches.h"

namespace phraseq {

void describe_search_batches(OptionTable& table, BatchOptions& batches) {
  batches.describe(
      table,
      "Maximum number of source tokens in a batch; 0 = 1024, on a GPU 8192, or no limit if "
      "--batch-size is given.");
}

int64_t automatic_source_tokens(at::Device device) { return device.is_cpu() ? 1024 : 8192; }

int64_t source_tokens_of_batch(const BatchOptions& batches, at::Device device) {
  const bool is_unlimited = batches.max_tokens == 0 && batches.batch_size == 0;
  return is_unlimited ? automatic_source_tokens(device) : batches.max_tokens;
}

}  // namespace phraseq
