#include "core/train/options/machine_options.h"

namespace phraseq {
namespace {

void describe_arithmetic(OptionTable& table, MachineOptions& o) {
  table.section("Machine and logging");
  table.field("seed", o.seed, "Random seed.").at_least(0);
  table.field("precision",
              o.precision,
              nn::kTrainingPrecisionNames,
              "Precision of matrix products and activations; auto = bf16 if the device supports "
              "it, otherwise fp32.");
  table.field("bf16", o.bf16, "The same as --precision bf16.");
  table.field("fp16", o.fp16, "The same as --precision fp16: with a dynamic loss scale.");
  o.loss_scale.describe(table);
  table
      .field("checkpoint-activations",
             o.checkpoint_activations,
             "Recompute the layers of Transformers in the backward pass instead of keeping their "
             "activations: less memory, about a third more time, the same result.")
      .harmless();
}

void describe_threads(OptionTable& table, MachineOptions& o) {
  table.field("threads", o.threads, "Number of threads; 0 = one per core.").in(0, 4096);
  table
      .field("batch-shares",
             o.batch_shares,
             "Number of shares of a batch that are computed at the same time, each by its part of "
             "--threads; 1 = threads work only within operators; 0 = determined by --threads and "
             "--max-tokens.")
      .in(0, 4096);
  table
      .field("data-buffer-size",
             o.data_buffer_size,
             "Number of batches to preload; 0 = 1, the smallest number.")
      .in(0, 1000)
      .harmless();
}

void describe_logging(OptionTable& table, MachineOptions& o) {
  table
      .field("log-format",
             o.log_format,
             kLogFormatNames,
             "Log format: bar (fairseq: tqdm) = progress bar, simple = plain lines, json = JSON "
             "lines, none; auto = bar on a terminal, otherwise simple.")
      .harmless();
  table
      .field("log-interval",
             o.log_interval,
             "Log progress and write a record to metrics.jsonl every N updates.")
      .at_least(1)
      .harmless();
  table.field("log-file", o.log_file, "Also write the log to this file.")
      .value_name("FILE")
      .writes_file()
      .harmless();
  table
      .field("tensorboard-logdir",
             o.tensorboard_logdir,
             "Also write event files for TensorBoard to subfolders of this folder: train_inner, "
             "train, and the validation split.")
      .value_name("DIR")
      .harmless();
  table.field("plot", o.plot, "Write learning_curves.svg into --save-dir at the end.").harmless();
  table
      .field("no-progress-bar",
             o.no_progress_bar,
             "Disable the progress bar (the same as --log-format simple).")
      .harmless();
  table.field("quiet", o.quiet, "Only log warnings and errors.").harmless();
}

}  // namespace

void MachineOptions::describe(OptionTable& table) {
  describe_arithmetic(table, *this);
  describe_threads(table, *this);
  describe_logging(table, *this);
}

std::vector<std::string> MachineOptions::problems() const {
  if (fp16 && bf16)
    return {"--fp16 and --bf16 cannot be combined"};
  return {};
}

}  // namespace phraseq
