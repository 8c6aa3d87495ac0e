#include "core/options/batch_options.h"

#include <string>

namespace phraseq {
namespace {

constexpr const char* kMaxTokensHelp =
    "Maximum number of tokens in a batch, counted on the longer side without padding; 0 = no "
    "limit.";
constexpr const char* kBatchSizeHelp = "Maximum number of sentences in a batch; 0 = no limit.";
constexpr const char* kAutoHelp =
    " auto = the largest number that fits into memory, found at the start of the run; a resumed "
    "run keeps it.";

}  // namespace

void BatchOptions::describe(OptionTable& table) { describe(table, kMaxTokensHelp); }

void BatchOptions::describe(OptionTable& table, std::string_view max_tokens_help) {
  table.field("max-tokens", max_tokens, max_tokens_help).at_least(0);
  table.field("batch-size", batch_size, kBatchSizeHelp).alias("max-sentences").at_least(0);
}

void BatchOptions::describe_with_auto(OptionTable& table) {
  table.field("max-tokens", max_tokens, std::string(kMaxTokensHelp) + kAutoHelp)
      .at_least(0)
      .word("auto", kAutomatic);
  table.field("batch-size", batch_size, std::string(kBatchSizeHelp) + kAutoHelp)
      .alias("max-sentences")
      .at_least(0)
      .word("auto", kAutomatic);
}

}  // namespace phraseq
