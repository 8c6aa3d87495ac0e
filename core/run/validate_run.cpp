#include "core/run/validate_run.h"

#include <cmath>
#include <memory>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/base/wording/with_place.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/derived/training_options.h"
#include "core/corpus/data_folder.h"
#include "core/criterion/declared_criterion.h"
#include "core/criterion/named_criterion.h"
#include "core/data/joined/data_folders.h"
#include "core/data/source_trees.h"
#include "core/options/command_line.h"
#include "core/options/option_text.h"
#include "core/plugin/select_recorded.h"
#include "core/run/loaded_models.h"
#include "core/train/validation/validation_result.h"
#include "core/train/validation/validator.h"
#include "core/translate/operator_threads.h"
#include "core/translate/recorded_components.h"

namespace phraseq {
namespace {

/// What a checkpoint records about its training, as far as validation uses it. A file that cannot
/// be read is reported later, when the model is loaded.
struct RecordedTraining {
  std::string criterion;                              ///< empty: not recorded, or not installed
  std::string missing;                                ///< the recorded one, if it is not installed
  nlohmann::json options = nlohmann::json::object();  ///< all options of the training, by name
};

RecordedTraining recorded_training(const Registry& registry, const std::string& path) {
  RecordedTraining recorded;
  try {
    const auto file = CheckpointFile::open(resolve_checkpoint(path), /*verify_tensors=*/false);
    recorded.criterion =
        declared_criterion(recorded_component(registry, file, Architecture::kKind));
    const nlohmann::json options = recorded_training_options(file);
    const auto found = options.find("criterion");
    const std::string name =
        found != options.end() && found->is_string() ? found->get<std::string>() : "";
    if (registry.find(Criterion::kKind, name))
      recorded = {name, "", options};
    else
      recorded.missing = name;
  } catch (const Error&) {
    return recorded;
  }
  return recorded;
}

TranslationModel load_model(const ValidateRun& run) {
  reject_ensemble(run.options.path,
                  "validate",
                  "'phraseq rescore' and 'phraseq eval-lm' score texts with an ensemble.");
  LoadOptions load;
  load.precision = run.options.precision;
  load.data = run.options.data;
  load.overrides = run.options.model_overrides;
  load.skip_self_test = run.options.skip_self_test;
  run.options.direction.choose(load);
  run.options.device.apply();
  const at::Device device = run.options.device.chosen();
  TranslationModel model =
      TranslationModel::load(run.loaded->registry, resolve_checkpoint(run.options.path), load);
  move_to(model, device, load.precision);
  return model;
}

ValidatorOptions validator_options(const ValidateOptions& options, const std::string& subset) {
  ValidatorOptions validation;
  validation.subset = subset;
  validation.max_tokens = options.batches.max_tokens;
  validation.max_sentences = options.batches.batch_size;
  return validation;
}

void require_splits(const ValidateOptions& options, const Task& task) {
  const std::string folder = data_folders(options.data).front();
  for (const std::string& subset : options.subsets()) {
    if (task.has_split(subset))
      continue;
    check_data_folder(folder);
    throw DataError(fmt::format("{} has no split '{}'", folder, subset),
                    "Use another split with --valid-subset.");
  }
}

/// Rejects a checkpoint whose criterion is not installed, unless the user chooses another one.
void require_recorded_criterion(const ValidateRun& run) {
  if (!run.missing_criterion.empty() && !run.table.find("criterion")->is_given())
    select_recorded(
        run.loaded->registry, Criterion::kKind, run.missing_criterion, run.options.path);
}

/// Warns if neither the checkpoint nor the user names the criterion.
void warn_of_assumed_criterion(const ValidateRun& run) {
  if (run.records_criterion || run.table.find("criterion")->is_given())
    return;
  log_warning(
      fmt::format("the loss is that of {}: {} does not record the criterion of its training, like "
                  "all imported checkpoints. --criterion selects another one",
                  run.criterion.component->name,
                  run.options.path));
}

/// Warns if the criterion uses alignments, but the checkpoint's task does not read them.
void warn_of_missing_alignments(const Criterion& criterion, Options& task) {
  OptionTable table;
  task.describe(table);
  const OptionField* const loading = table.find("load-alignments");
  if (criterion.uses_alignments() && (loading == nullptr || loading->to_text() != "yes"))
    log_warning(
        "the alignment loss is 0: the checkpoint was trained without --load-alignments, so "
        "the alignments of the data are not read");
}

/// The criterions: one per thread on the CPU, where each thread computes its own batches.
std::vector<std::unique_ptr<Criterion>> make_criterions(const ValidateRun& run,
                                                        const TranslationModel& model) {
  const int workers = run.options.device.chosen().is_cpu() ? at::get_num_threads() : 1;
  std::vector<std::unique_ptr<Criterion>> criterions;
  for (int i = 0; i < workers; ++i) {
    criterions.push_back(std::make_unique<NamedCriterion>(
        run.criterion, CriterionSetup{model.task->target_dictionary().size()}));
  }
  return criterions;
}

/// All but the first.
std::vector<Criterion*> others_of(const std::vector<std::unique_ptr<Criterion>>& criterions) {
  std::vector<Criterion*> others;
  for (size_t i = 1; i < criterions.size(); ++i) others.push_back(criterions[i].get());
  return others;
}

}  // namespace

ValidateRun::ValidateRun(std::span<const std::string> arguments)
    : loaded(load_plugins_for(arguments)) {
  const std::string path = peek_option(arguments, "path", "");
  const RecordedTraining recorded = recorded_training(loaded->registry, path);
  if (!recorded.criterion.empty())
    options.criterion = recorded.criterion;
  records_criterion = !recorded.options.empty();
  missing_criterion = recorded.missing;
  options.describe(table);
  criterion = loaded->registry.select(
      Criterion::kKind, peek_option(table, arguments, "criterion", options.criterion));
  if (criterion.name == recorded.criterion)
    with_place(path, [&] { take_own_values(recorded.options, *criterion.options); });
  describe(table, criterion);
}

std::vector<std::string> ValidateRun::problems() const {
  options.subsets();  // throws
  return problems_of(criterion);
}

std::string ValidateRun::explain_unknown(const std::string& option) const {
  constexpr KindOption kKinds[] = {{Criterion::kKind, "criterion"}};
  return owners_of_option(loaded->registry, kKinds, option);
}

namespace {

void require_finite(const ValidationResult& result, const std::string& model_path) {
  if (std::isfinite(result.losses.loss))
    return;
  throw DivergenceError(
      fmt::format("{}: the loss on '{}' is not finite", model_path, result.subset),
      "The model has diverged; use an earlier checkpoint, or another "
      "--precision.");
}

}  // namespace

void validate(ValidateRun& run, const std::function<void(const ValidationResult& result)>& report) {
  set_operator_threads(run.options.threads > 0 ? run.options.threads : at::get_num_threads());
  require_recorded_criterion(run);
  const TranslationModel model = load_model(run);
  require_splits(run.options, *model.task);
  warn_of_assumed_criterion(run);
  warn_of_other_criterion(model.architecture_selection, run.criterion);
  require_source_trees(*model.architecture_selection.options,
                       *model.task_selection.options,
                       {data_folders(run.options.data).front(),
                        model.task->source_language(),
                        run.options.subsets()},
                       /*trained=*/true);
  const auto criterions = make_criterions(run, model);
  warn_of_missing_alignments(*criterions.front(), *model.task_selection.options);
  for (const std::string& subset : run.options.subsets()) {
    Validator validator(
        model, *criterions.front(), run.options.precision, validator_options(run.options, subset));
    validator.work_with(others_of(criterions), /*threads_per_worker=*/1);
    const ValidationResult result = validator.run();
    require_finite(result, model.path);
    report(result);
  }
}

std::string validation_text(const ValidationResult& result, ValidationFormat format) {
  if (format == ValidationFormat::kJson)
    return result.to_json().dump();
  const ValidationLosses& losses = result.losses;
  return fmt::format("valid on '{}' subset{}{} | {} | {}",
                     result.subset,
                     losses_text(losses),
                     accuracy_text(losses),
                     counted(losses.tokens, "token"),
                     counted(losses.sentences, "sentence")) +
         part_lines(result);
}

}  // namespace phraseq
