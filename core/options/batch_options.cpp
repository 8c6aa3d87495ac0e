#include "core/options/batch_options.h"

namespace phraseq {

void BatchOptions::describe(OptionTable& table) {
  table
      .field("max-tokens",
             max_tokens,
             "Maximum number of tokens in a batch, counted on the longer side with padding "
             "excluded; 0 = no limit.")
      .at_least(0);
  table.field("batch-size", batch_size, "Maximum number of sentences in a batch; 0 = no limit.")
      .alias("max-sentences")
      .at_least(0);
}

}  // namespace phraseq
