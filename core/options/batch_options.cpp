#include "core/options/batch_options.h"

namespace phraseq {
namespace {

constexpr const char* kMaxTokensHelp =
    "Maximum number of tokens in a batch, counted on the longer side without padding; 0 = no "
    "limit.";
constexpr const char* kBatchSizeHelp = "Maximum number of sentences in a batch; 0 = no limit.";
constexpr const char* kAutoHelp =
    " auto = the largest number that there is memory for, found at the start of the run; a resumed "
    "run keeps it.";

}  // namespace

void BatchOptions::describe(OptionTable& table) {
  table.field("max-tokens", max_tokens, kMaxTokensHelp).at_least(0);
  table.field("batch-size", batch_size, kBatchSizeHelp).alias("max-sentences").at_least(0);
}

void BatchOptions::describe_with_auto(OptionTable& table) {
  describe(table);
  for (const char* name : {"max-tokens", "batch-size"}) {
    OptionField& field = *table.find(name);
    field.help += kAutoHelp;
    field.word("auto", kAutomatic);
  }
}

}  // namespace phraseq
