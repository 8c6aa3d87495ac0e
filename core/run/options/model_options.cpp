#include "core/run/options/model_options.h"

#include <algorithm>

#include <ATen/Parallel.h>

#include "core/nn/precision/precision_option.h"

namespace phraseq {
namespace {

/// Cores this process may use.
int64_t cores() { return std::max(1, at::get_num_threads()); }

}  // namespace

void describe_skip_self_test(OptionTable& table, bool& skip_self_test) {
  table.field(
      "skip-self-test",
      skip_self_test,
      "Do not compare the results of this installation with those recorded in the checkpoint.");
}

void describe_model_overrides(OptionTable& table, std::vector<std::string>& overrides) {
  table.field("model-overrides",
              overrides,
              "Architecture options that replace those of the checkpoint, as NAME=VALUE or as "
              "fairseq's dictionary \"{'NAME': VALUE}\".");
}

void ModelOptions::describe(OptionTable& table) {
  table.section("Model and machine");
  describe_model(table);
  if (translates)
    describe_translation(table);
  describe_skip_self_test(table, skip_self_test);
  nn::describe_precision(table, precision);
  nn::describe_quantization(table, quantization);
  device.describe(table);
  describe_workers(table);
  plugins.describe(table);
}

void ModelOptions::describe_model(OptionTable& table) {
  table
      .field("path",
             path,
             takes_ensemble ? "Checkpoint or folder of checkpoints; several, separated by colons, "
                              "form an ensemble."
                            : "Checkpoint or folder of checkpoints.")
      .value_name(takes_ensemble ? "FILE[:FILE]" : "FILE")
      .required();
  describe_model_overrides(table, model_overrides);
  table
      .field("mask-heads",
             mask_heads,
             "Attention heads to switch off, as ATTENTION.LAYER.HEAD: cross.2.3 is the third head "
             "of the cross-attention in layer 2 (see phraseq analyze heads).")
      .value_name("HEAD...");
}

void ModelOptions::describe_translation(OptionTable& table) {
  table
      .field("phrase-table",
             phrase_table,
             "Phrase table to use instead of the one in the checkpoint, for translating text with "
             "a phrase memory.")
      .value_name("FILE");
  direction.describe(table);
}

void ModelOptions::describe_workers(OptionTable& table) {
  table
      .field("workers",
             workers,
             "Number of batches processed in parallel; 0 = one per core, on a GPU one per two "
             "cores, at most 4.")
      .in(0, 1024);
  table
      .field("threads",
             threads,
             "Number of threads per worker; 0 = the number of cores divided by --workers.")
      .in(0, 4096);
}

WorkerSettings ModelOptions::worker_settings() const {
  // With several workers, the GPU computes for one while the host searches for another.
  constexpr int64_t kMaxWorkersPerGpu = 4;
  const int64_t most =
      device.chosen().is_cpu() ? cores() : std::clamp<int64_t>(cores() / 2, 1, kMaxWorkersPerGpu);
  WorkerSettings settings;
  settings.workers = workers > 0   ? workers
                     : threads > 0 ? std::clamp<int64_t>(cores() / threads, 1, most)
                                   : most;
  settings.threads = threads > 0 ? threads : std::max<int64_t>(1, cores() / settings.workers);
  return settings;
}

}  // namespace phraseq
