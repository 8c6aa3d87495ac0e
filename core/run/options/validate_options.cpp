#include "core/run/options/validate_options.h"

#include "core/data/joined/data_folders.h"
#include "core/nn/precision/precision_option.h"
#include "core/run/options/model_options.h"

namespace phraseq {

std::vector<std::string> ValidateOptions::subsets() const {
  return listed_splits("valid-subset", valid_subset);
}

void ValidateOptions::describe(OptionTable& table) {
  table.section("Validation");
  table.field("data", data, "Data folder made by phraseq preprocess.")
      .positional()
      .value_name("DATA")
      .required();
  table.field("path", path, "Checkpoint or folder of checkpoints.").value_name("FILE").required();
  describe_model_overrides(table, model_overrides);
  table
      .field("valid-subset",
             valid_subset,
             "Names of the splits, separated by commas. Each gets a line.")
      .value_name("NAME[,NAME]");
  table.field(
      "criterion",
      criterion,
      "Name of the criterion; default: the criterion of the checkpoint's training, with its "
      "options.");
  direction.describe(table);
  table.find("source-lang")->short_flag("s");
  table.find("target-lang")->short_flag("t");
  plugins.describe(table);
  batches.describe(table);
  table.field("threads", threads, "Number of threads; 0 = one per core.").in(0, 4096);
  describe_skip_self_test(table, skip_self_test);
  nn::describe_precision(table, precision);
  device.describe(table);
  table.field(
      "format",
      format,
      kValidationFormatNames,
      "plain: one line as in the training log; json: a JSON object with natural logarithms.");
}

}  // namespace phraseq
