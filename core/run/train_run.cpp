#include "core/run/train_run.h"

#include <filesystem>
#include <optional>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/criterion/declared_criterion.h"
#include "core/criterion/named_criterion.h"
#include "core/data/batching/batch_iterator.h"
#include "core/data/named_task.h"
#include "core/data/options_from_data.h"
#include "core/data/source_trees.h"
#include "core/io/atomic_file.h"
#include "core/io/json_reader.h"
#include "core/nn/precision/automatic_precision.h"
#include "core/optim/named_optimizer.h"
#include "core/options/command_line.h"
#include "core/options/enum_name.h"
#include "core/options/option_text.h"
#include "core/plot/curves/learning_curves.h"
#include "core/run/preset_training.h"
#include "core/run/run_components.h"
#include "core/run/run_manifest.h"
#include "core/run/training_summary.h"
#include "core/run/training_warnings.h"
#include "core/score/metrics/named_metric.h"
#include "core/search/named_decoder.h"
#include "core/train/train_checkpoint.h"
#include "core/train/trainer.h"

namespace phraseq {

TrainRun::TrainRun(std::span<const std::string> arguments) : loaded(load_plugins_for(arguments)) {
  const std::string chosen_by = peek_option(arguments, "best-checkpoint-metric", "loss");
  if (!ValidationOptions::is_loss(chosen_by))
    components.metric = chosen_by;
  components.describe(table);
  optimization.describe(table);
  average.describe(table);
  validation.describe(table);
  checkpoints.describe(table);
  machine.describe(table);
  device.describe(table);
  const auto pick = [&](const char* kind, const char* flag, const std::string& fallback) {
    return select_and_describe(loaded->registry, kind, arguments, flag, fallback, table);
  };
  task = pick(Task::kKind, "task", components.task);
  if (!peek_option(table, arguments, "arch", "").empty())
    architecture = pick(Architecture::kKind, "arch", "");
  take_declared_criterion();
  take_component_names(architecture.training, !declared_criterion(architecture).empty(), table);
  criterion = pick(Criterion::kKind, "criterion", components.criterion);
  optimizer = pick(Optimizer::kKind, "optimizer", components.optimizer);
  scheduler = pick(LrScheduler::kKind, "lr-scheduler", components.lr_scheduler);
  if (peek_flag(arguments, "eval-bleu") || !ValidationOptions::is_loss(chosen_by) ||
      !peek_option(arguments, "metric", "").empty())
    metric = pick(Metric::kKind, "metric", components.metric);
  take_option_values(architecture.training, arguments, table);
}

void TrainRun::take_declared_criterion() {
  const std::string declared = declared_criterion(architecture);
  if (declared.empty())
    return;
  components.criterion = declared;
  OptionField& field = *table.find("criterion");
  field.default_text = field.to_text();
}

std::vector<std::string> TrainRun::problems() const {
  std::vector<std::string> found;
  const auto gather = [&](const Options& options) {
    for (auto& text : options.problems()) found.push_back(std::move(text));
  };
  gather(optimization);
  gather(validation);
  if (const std::string text = metric_problem(); !text.empty())
    found.push_back(text);
  for (const Selection* selection :
       {&task, &architecture, &criterion, &optimizer, &scheduler, &metric}) {
    if (selection->options)
      gather(*selection->options);
  }
  return found;
}

/// That --metric and --best-checkpoint-metric name two metrics, or an empty string.
std::string TrainRun::metric_problem() const {
  const std::string& chosen_by = validation.best_checkpoint_metric;
  if (ValidationOptions::is_loss(chosen_by) || metric.component == nullptr)
    return {};
  if (loaded->registry.select(Metric::kKind, chosen_by).name == metric.name)
    return {};
  return fmt::format(
      "--best-checkpoint-metric {} needs --metric {}: validation computes one metric, {}",
      chosen_by,
      chosen_by,
      metric.name);
}

namespace {

/// The precision, and why it was chosen where the user leaves that open; else no reason.
nn::PrecisionChoice precision_choice(const TrainRun& run) {
  const MachineOptions& machine = run.machine;
  if (machine.bf16 || machine.precision == nn::TrainingPrecision::kBf16)
    return {nn::Precision::kBf16, ""};
  if (machine.precision == nn::TrainingPrecision::kAuto)
    return nn::automatic_precision(run.device.chosen());
  return {nn::Precision::kFp32, ""};
}

nn::Precision precision_of(const TrainRun& run) { return precision_choice(run).precision; }

/// Splits that the run reads.
SourceSplits splits_of(const TrainRun& run, const Task& task) {
  SourceSplits sources{run.components.data, task.source_language(), {"train"}};
  if (!run.validation.disable_validation)
    sources.splits.push_back(run.validation.valid_subset);
  return sources;
}

TranslationModel make_translator(TrainRun& run, const Registry& registry) {
  TaskSetup setup;
  setup.registry = &registry;
  setup.data = run.components.data;
  setup.seed = static_cast<uint64_t>(run.machine.seed);
  TranslationModel translator;
  translator.task_selection = std::move(run.task);
  translator.architecture_selection = std::move(run.architecture);
  translator.task = std::make_unique<NamedTask>(translator.task_selection, setup);
  take_options_from_data(run.table, *translator.task);
  tie_embeddings(translator.architecture_selection.training,
                 translator.task->source_dictionary() == translator.task->target_dictionary(),
                 run.table);
  require_source_trees(*translator.architecture_selection.options,
                       *translator.task_selection.options,
                       splits_of(run, *translator.task),
                       /*trained=*/false);
  translator.build_model();
  translator.model->initialize(static_cast<uint64_t>(run.machine.seed));
  translator.model->to(run.device.chosen());
  translator.parameters =
      std::make_unique<nn::FlatParameters>(*translator.model, /*with_gradients=*/true);
  if (precision_of(run) == nn::Precision::kBf16)
    translator.parameters->refresh_bf16();
  return translator;
}

BatchingOptions training_batches(const TrainRun& run, const Architecture& model) {
  BatchingOptions batching;
  batching.max_tokens = run.optimization.batches.max_tokens;
  batching.max_sentences = run.optimization.batches.batch_size;
  batching.max_source_positions = model.max_source_positions();
  batching.max_target_positions = model.max_target_positions();
  batching.seed = static_cast<uint64_t>(run.machine.seed);
  return batching;
}

/// The validation set's side of a run: the validator and, with --eval-bleu, what translates and
/// scores.
struct ValidationParts {
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<Metric> metric;
  std::unique_ptr<Validator> validator;
};

std::unique_ptr<Decoder> make_validation_decoder(TrainRun& run, const Task& task) {
  const Selection decoder = run.loaded->registry.select(Decoder::kKind, "beam");
  OptionTable table;
  decoder.options->describe(table);
  try {
    const auto values = parse_json(run.validation.eval_bleu_args, "--eval-bleu-args");
    JsonEntry(values, "--eval-bleu-args").object();
    from_json(table, values, OptionOrigin::kCommandLine);
  } catch (const FormatError& failure) {
    throw UsageError(
        failure.message(),
        "--eval-bleu-args is a JSON object, for example {\"beam\": 4, \"lenpen\": 0.6}");
  }
  return std::make_unique<NamedDecoder>(decoder, DecoderSetup{task.target_dictionary().size()});
}

ValidationParts make_validation(TrainRun& run,
                                const TranslationModel& translator,
                                Criterion& criterion) {
  ValidationParts parts;
  if (run.validation.disable_validation)
    return parts;
  const std::string& subset = run.validation.valid_subset;
  if (!translator.task->has_split(subset)) {
    throw DataError(fmt::format("{} has no split '{}' to validate on", run.components.data, subset),
                    "preprocess with --validpref, use another split with --valid-subset, or turn "
                    "validation off with --disable-validation");
  }
  ValidatorOptions options;
  options.subset = subset;
  options.max_tokens = run.validation.max_tokens_valid > 0 ? run.validation.max_tokens_valid
                                                           : run.optimization.batches.max_tokens;
  options.max_sentences = run.optimization.batches.batch_size;
  options.translated_sentences = run.validation.eval_bleu_sentences;
  options.printed_samples = run.validation.eval_bleu_print_samples;
  options.remove_bpe = run.validation.eval_bleu_remove_bpe;
  parts.validator = std::make_unique<Validator>(translator, criterion, precision_of(run), options);
  if (!run.validation.eval_bleu)
    return parts;
  parts.decoder = make_validation_decoder(run, *translator.task);
  if (run.metric.component == nullptr)  // --eval-bleu from a configuration file
    run.metric = run.loaded->registry.select(Metric::kKind, run.components.metric);
  parts.metric =
      std::make_unique<NamedMetric>(run.metric, MetricSetup{translator.task->target_language()});
  parts.validator->translate_with(*parts.decoder, *parts.metric);
  return parts;
}

/// The checkpoint to continue from, or nothing.
std::optional<std::string> restore_path(const CheckpointOptions& options,
                                        const CheckpointFolder* folder) {
  namespace fs = std::filesystem;
  if (folder == nullptr)
    return std::nullopt;
  const std::string& name = options.restore_file;
  if (name.find('/') != std::string::npos)
    return resolve_checkpoint(name);
  if (name == "checkpoint_last" || name == "checkpoint_best")
    return folder->resolve(name, options.strict_resume);
  const std::string path = folder->path() + "/" + name;
  if (!fs::exists(path))
    return std::nullopt;
  return path;
}

std::optional<CheckpointFile> file_to_resume(const CheckpointOptions& options,
                                             const CheckpointFolder* folder) {
  const auto path = restore_path(options, folder);
  return path ? std::optional(CheckpointFile::open(*path)) : std::nullopt;
}

std::string precision_text(const nn::PrecisionChoice& choice) {
  const std::string name(enum_name(nn::kPrecisionNames, choice.precision));
  return choice.reason.empty() ? name : fmt::format("{} ({})", name, choice.reason);
}

/// The values that a preset was tested with and that this run uses.
void announce_preset_values(TrainRun& run, const TrainingDefaults& defaults) {
  std::vector<std::string> used;
  const auto add = [&](const std::string& name) {
    const OptionField* const field = run.table.find(name);
    if (field != nullptr && field->origin == OptionOrigin::kPreset)
      used.push_back(fmt::format("--{} {}", name, field->to_text()));
  };
  for (const char* component : {"criterion", "optimizer", "lr-scheduler"}) add(component);
  for (const auto& [name, value] : defaults.options) add(name);
  for (const char* decided : {"warmup-updates", "share-all-embeddings"}) add(decided);
  if (!used.empty())
    log_info(fmt::format("settings of {}: {}", run.components.arch, fmt::join(used, " ")));
}

void warn_of_data(const TrainRun& run, const TranslationModel& translator, const Corpus& training) {
  warn_of_vocabulary(translator.task->target_dictionary(), training);
  const std::string& subset = run.validation.valid_subset;
  if (!run.validation.disable_validation)
    warn_of_overlap(training, *translator.open(subset, /*training=*/false));
}

void announce(const TrainRun& run,
              const TranslationModel& translator,
              const BatchIterator& batches) {
  log_info(fmt::format("{}: {} parameters on {}, {} threads, {}",
                       run.components.arch,
                       parameter_count(*translator.parameters),
                       translator.parameters->values().device().str(),
                       at::get_num_threads(),
                       precision_text(precision_choice(run))));
  log_info(fmt::format("{} batches per epoch", batches.batches_in_epoch()));
  if (batches.skipped().total() > 0)
    log_warning("sentence pairs that are skipped in training: " + batches.skipped().text());
}

void write_manifest(const TrainRun& run,
                    const std::string& folder,
                    const nlohmann::json& manifest) {
  try {
    write_file(folder + "/run.json", manifest.dump(2) + "\n");
  } catch (const IoError& failure) {
    if (run.checkpoints.save_failure == SaveFailure::kStop)
      throw;
    log_error(fmt::format("training continues without a new manifest (--save-failure warn): {}",
                          failure.what()));
  }
}

/// Draws the learning curves when the training ends, however it ends.
class CurvesAtEnd {
 public:
  explicit CurvesAtEnd(std::string folder) : folder_(std::move(folder)) {}
  CurvesAtEnd(const CurvesAtEnd&) = delete;
  CurvesAtEnd& operator=(const CurvesAtEnd&) = delete;
  ~CurvesAtEnd() {
    if (!folder_.empty())
      plot::write_learning_curves(folder_);
  }

 private:
  std::string folder_;
};

}  // namespace

int train(TrainRun& run, std::span<const std::string> arguments) {
  if (run.machine.threads > 0)
    at::set_num_threads(static_cast<int>(run.machine.threads));
  set_log_quiet(run.machine.quiet);
  if (!run.machine.log_file.empty())
    add_log_file(run.machine.log_file);

  warn_of_other_criterion(run.architecture, run.criterion);
  std::unique_ptr<CheckpointFolder> folder;
  if (!run.checkpoints.no_save)
    folder = std::make_unique<CheckpointFolder>(run.checkpoints.save_dir);
  TranslationModel translator = make_translator(run, run.loaded->registry);
  if (!run.checkpoints.finetune_from_model.empty()) {
    translator.load_parameters(
        CheckpointFile::open(resolve_checkpoint(run.checkpoints.finetune_from_model)));
    if (precision_of(run) == nn::Precision::kBf16)
      translator.parameters->refresh_bf16();
  }
  NamedCriterion criterion(run.criterion, {translator.task->target_dictionary().size()});
  NamedOptimizer optimizer(run.optimizer, {translator.parameters.get()});
  std::shared_ptr<Corpus> corpus = translator.open("train", /*training=*/true);
  BatchIterator batches(
      corpus,
      training_batches(run, *translator.model),
      [&translator](const std::vector<Example>& examples) { return translator.collate(examples); },
      run.machine.data_buffer_size);
  const auto resumed = file_to_resume(run.checkpoints, folder.get());
  const auto run_length = expected_updates(run.optimization, batches.batches_in_epoch());
  take_warmup(translator.architecture_selection.training,
              run_length,
              resumed ? read_train_record(*resumed).options : nlohmann::json::object(),
              run.table);
  const ValidationParts validation = make_validation(run, translator, criterion);
  NamedScheduler scheduler(run.scheduler,
                           {run.optimization.lr.front(),
                            translator.model->model_width(),
                            run.optimization.max_update,
                            run.optimization.lr,
                            larger_is_better(run.validation, validation.validator.get())});
  std::optional<ParameterAverage> average;
  if (run.average.enabled())
    average.emplace(run.average, *translator.parameters);
  warn_of_warmup(run_length, run.table);
  warn_of_data(run, translator, *corpus);
  TrainingLog log(run.machine, folder ? folder->path() : "");
  StopSignals signals;
  announce(run, translator, batches);
  announce_preset_values(run, translator.architecture_selection.training);

  Trainer trainer({&translator,
                   &criterion,
                   &optimizer,
                   &scheduler,
                   &batches,
                   validation.validator.get(),
                   folder.get(),
                   &log,
                   &signals,
                   average ? &*average : nullptr},
                  {run.optimization,
                   run.validation,
                   run.checkpoints,
                   precision_of(run),
                   static_cast<uint64_t>(run.machine.seed),
                   &run.table});
  if (resumed)
    trainer.resume(*resumed);
  // Only now: a run that is rejected leaves the manifest of the one before.
  if (folder) {
    auto manifest =
        run_manifest(arguments, run.table, run.loaded->plugins, translator, corpus->fingerprint());
    manifest["precision"] = precision_text(precision_choice(run));
    write_manifest(run, folder->path(), manifest);
  }
  const CurvesAtEnd curves(folder && !run.machine.no_plot ? folder->path() : "");
  const int signal = trainer.run();
  if (folder) {
    if (const std::string text = training_summary(run, trainer.state(), *folder, translator);
        !text.empty())
      log_info(text);
  }
  return signal == 0 ? kExitOk : 128 + signal;
}

}  // namespace phraseq
