// phraseq validate: the loss of a checkpoint on a split of a data folder.

#include <cstdio>
#include <numbers>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/criterion/declared_criterion.h"
#include "core/criterion/named_criterion.h"
#include "core/data/source_trees.h"
#include "core/nn/caching_allocator.h"
#include "core/options/command_line.h"
#include "core/run/run_components.h"
#include "core/train/validator.h"

namespace phraseq {
namespace {

struct ValidateOptions : Options {
  std::string data;
  std::string path;
  std::string valid_subset = "valid";
  std::string criterion = "cross_entropy";
  std::vector<std::string> model_overrides;
  std::vector<std::string> plugin_dir;
  int64_t max_tokens = 4096;
  int64_t batch_size = 0;
  int64_t threads = 0;
  std::string precision = "fp32";
  std::string format = "plain";
  void describe(OptionTable& v) override;
};

void ValidateOptions::describe(OptionTable& v) {
  v.section("Validation");
  v.field("data", data, "Data folder made by phraseq preprocess.")
      .positional()
      .value_name("DATA")
      .required();
  v.field("path", path, "Checkpoint or folder of checkpoints.").value_name("FILE").required();
  v.field("model-overrides",
          model_overrides,
          "Architecture options that replace those of the checkpoint, as NAME=VALUE.");
  v.field("valid-subset", valid_subset, "Name of the split.");
  v.field("criterion",
          criterion,
          "Name of the criterion; default: the criterion of the architecture, if it declares one.");
  v.field("plugin-dir", plugin_dir, "Additional folders to load plugins from.");
  v.field("max-tokens", max_tokens, "Maximum number of tokens in a batch.").at_least(1);
  v.field("batch-size", batch_size, "Maximum number of sentences in a batch; 0 = no limit.")
      .at_least(0);
  v.field("threads", threads, "Number of threads per operator; 0 = one per core.").at_least(0);
  v.field("precision", precision, "Arithmetic.").one_of({"fp32", "bf16", "fp64"});
  v.field("format",
          format,
          "plain: one line as in the training log; json: a JSON object with natural logarithms.")
      .one_of({"plain", "json"});
}

void print(const nlohmann::json& result, const std::string& format) {
  if (format == "json") {
    std::puts(result.dump().c_str());
    return;
  }
  const double bits = 1.0 / std::numbers::ln2;
  const std::string accuracy =
      result.contains("correct_per_token")
          ? fmt::format(" | accuracy {:.4f}", result["correct_per_token"].get<double>())
          : "";
  std::puts(fmt::format("valid on '{}' subset | loss {:.3f} | nll_loss {:.3f} (base 2) | ppl "
                        "{:.2f}{} | {} tokens | {} sentences",
                        result["subset"].get<std::string>(),
                        result["loss"].get<double>() * bits,
                        result["nll_loss"].get<double>() * bits,
                        result["ppl"].get<double>(),
                        accuracy,
                        result["tokens"].get<int64_t>(),
                        result["sentences"].get<int64_t>())
                .c_str());
}

/// The criterion that the architecture of a checkpoint declares, else `fallback`. A file that
/// cannot be read is reported when the model is loaded.
std::string default_criterion(const Registry& registry,
                              const std::string& path,
                              const std::string& fallback) {
  try {
    const auto file = CheckpointFile::open(resolve_checkpoint(path), /*verify_tensors=*/false);
    const std::string declared = declared_criterion(recorded_architecture(registry, file));
    return declared.empty() ? fallback : declared;
  } catch (const Error&) {
    return fallback;
  }
}

int validate_command(std::span<const std::string> arguments) {
  const auto loaded = load_plugins_for(arguments);
  ValidateOptions options;
  options.criterion =
      default_criterion(loaded->registry, peek_option(arguments, "path", ""), options.criterion);
  OptionTable table;
  options.describe(table);
  const Selection criterion_selection = select_and_describe(
      loaded->registry, Criterion::kKind, arguments, "criterion", options.criterion, table);
  if (!begin_command(table,
                     "validate",
                     "DATA --path FILE [options]",
                     "Computes the loss of a checkpoint on a split of a data folder.",
                     arguments))
    return kExitOk;
  if (options.threads > 0)
    at::set_num_threads(static_cast<int>(options.threads));
  LoadOptions load;
  load.precision = nn::precision_from(options.precision);
  load.data = options.data;
  load.overrides = options.model_overrides;
  const TranslationModel translator =
      TranslationModel::load(loaded->registry, resolve_checkpoint(options.path), load);
  warn_of_other_criterion(translator.architecture_selection, criterion_selection);
  require_source_trees(*translator.architecture_selection.options,
                       *translator.task_selection.options,
                       {options.data, translator.task->source_language(), {options.valid_subset}},
                       /*trained=*/true);
  NamedCriterion criterion(criterion_selection, {translator.task->target_dictionary().size()});
  ValidatorOptions validation;
  validation.subset = options.valid_subset;
  validation.max_tokens = options.max_tokens;
  validation.max_sentences = options.batch_size;
  Validator validator(translator, criterion, load.precision, validation);
  print(validator.run(), options.format);
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("validate", argc, argv, phraseq::validate_command);
}
