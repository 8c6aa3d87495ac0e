#include "cli/plugins/trial_options.h"

namespace phraseq {

void TrialOptions::describe(OptionTable& table) {
  table
      .field("set",
             set,
             "Component options for the check, in addition to their presets and the small sizes. "
             "Every component of the library that has the option gets the value.")
      .value_name("NAME=VALUE,...");
  table
      .field("data",
             data,
             "Data for data loaders and tasks that cannot read generated text; empty = generated "
             "text, both raw and preprocessed.")
      .value_name("FOLDER");
  table.field("split", split, "Split of --data; default: train.").value_name("NAME");
  table.field("source-lang", source_lang, "Source language of --data; default: as the folder says.")
      .value_name("LANG");
  table.field("target-lang", target_lang, "Target language of --data; default: as the folder says.")
      .value_name("LANG");
  table.field("model", model, "Model file for a tokenizer that needs one.").value_name("FILE");
}

std::vector<std::string> TrialOptions::arguments() const {
  std::vector<std::string> arguments;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty())
      arguments.insert(arguments.end(), {flag, value});
  };
  OptionTable table;
  std::vector<std::string> values = set;
  add("--set", table.field("set", values, "").to_text());  // commas within a value are escaped
  add("--data", data);
  add("--split", split);
  add("--source-lang", source_lang);
  add("--target-lang", target_lang);
  add("--model", model);
  return arguments;
}

}  // namespace phraseq
