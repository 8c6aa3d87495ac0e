#include "core/train/options/component_options.h"

namespace phraseq {

void ComponentOptions::describe(OptionTable& table) {
  table.section("Components");
  table
      .field("data",
             data,
             "Data folder made by phraseq preprocess (or fairseq-preprocess). With several "
             "folders, separated by colons, each epoch uses the training set of one of them in "
             "turn.")
      .positional()
      .value_name("DATA")
      .required()
      .harmless();
  table
      .field("train-subset",
             train_subset,
             "Split to train on, together with its numbered parts (train1, train2 …); or several "
             "splits, separated by commas.")
      .value_name("NAME[,NAME]");
  table
      .field("arch",
             arch,
             "Name of an architecture or preset; 'phraseq plugins list --presets' shows all.")
      .short_flag("a")
      .required();
  table.field("task", task, "Name of the task.");
  table.field("criterion",
              criterion,
              "Name of the criterion; default: the criterion of the architecture, if it declares "
              "one.");
  table.field("optimizer", optimizer, "Name of the optimizer.");
  table.field("lr-scheduler", lr_scheduler, "Name of the learning rate scheduler.");
  table.field("metric", metric, "Name of the metric for validation with --eval-bleu.").harmless();
  plugins.describe(table);
}

}  // namespace phraseq
