#include "core/run/train_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/launcher/environment.h"
#include "core/base/log.h"
#include "core/base/log_of_rank.h"
#include "core/checkpoint/quantize.h"
#include "core/criterion/declared_criterion.h"
#include "core/criterion/named_criterion.h"
#include "core/data/batching/batch_iterator.h"
#include "core/data/joined/data_folders.h"
#include "core/data/named_task.h"
#include "core/data/options_from_data.h"
#include "core/data/source_trees.h"
#include "core/distributed/agreement.h"
#include "core/distributed/c10d_group.h"
#include "core/distributed/local_launch.h"
#include "core/distributed/placement.h"
#include "core/distributed/sharding/sharded_optimizer.h"
#include "core/io/atomic_file.h"
#include "core/io/json_reader.h"
#include "core/nn/precision/automatic_precision.h"
#include "core/optim/named_optimizer.h"
#include "core/options/command_line.h"
#include "core/options/enum_name.h"
#include "core/options/option_text.h"
#include "core/plot/curves/learning_curves.h"
#include "core/run/batches/automatic_batches.h"
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
  embeddings.describe(table);
  machine.describe(table);
  device.describe(table);
  distributed.describe(table);
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
  gather(distributed);
  gather(machine);
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
  if (machine.fp16 || machine.precision == nn::TrainingPrecision::kFp16)
    return {nn::Precision::kFp16, ""};
  if (machine.precision == nn::TrainingPrecision::kAuto)
    return nn::automatic_precision(run.device.chosen());
  return {nn::Precision::kFp32, ""};
}

nn::Precision precision_of(const TrainRun& run) { return precision_choice(run).precision; }

/// Says at once, not in the epoch that uses a folder, that trees are missing.
void require_trees(const TrainRun& run, const TranslationModel& translator) {
  const auto folders = data_folders(run.components.data);
  for (const std::string& folder : folders) {
    SourceSplits sources{
        folder,
        translator.task->source_language(),
        training_splits(run.components.train_subset, [&](const std::string& split) {
          return has_files_of_split(folder, split);
        })};
    if (!run.validation.disable_validation && folder == folders.front())
      sources.splits.push_back(run.validation.valid_subset);
    require_source_trees(*translator.architecture_selection.options,
                         *translator.task_selection.options,
                         sources,
                         /*trained=*/false);
  }
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
  require_trees(run, translator);
  translator.build_model();
  translator.model->initialize(static_cast<uint64_t>(run.machine.seed));
  translator.model->to(run.device.chosen());
  translator.parameters =
      std::make_unique<nn::FlatParameters>(*translator.model, /*with_gradients=*/true);
  translator.parameters->refresh_copy(precision_of(run));
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
  std::vector<std::unique_ptr<Criterion>> criteria;  ///< of all workers but the first
  std::vector<std::unique_ptr<Decoder>> decoders;    ///< one a worker
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

/// How the threads of this process compute a batch.
WorkerSettings thread_settings(const TrainRun& run, int64_t max_tokens) {
  const int64_t threads = at::get_num_threads();
  if (run.machine.batch_shares > 0)
    return {run.machine.batch_shares, std::max<int64_t>(1, threads / run.machine.batch_shares)};
  if (!run.device.chosen().is_cpu())
    return {1, threads};
  return threads_in_shares(threads, max_tokens);
}

WorkerSettings thread_settings(const TrainRun& run) {
  return thread_settings(run, run.optimization.batches.max_tokens);
}

std::unique_ptr<Criterion> make_criterion(const TrainRun& run, const TranslationModel& translator) {
  return std::make_unique<NamedCriterion>(
      run.criterion, CriterionSetup{translator.task->target_dictionary().size()});
}

/// As many batches at the same time as training computes shares.
void divide_work(const TrainRun& run, const TranslationModel& translator, ValidationParts& parts) {
  const WorkerSettings settings = thread_settings(run);
  std::vector<Criterion*> more;
  for (int64_t worker = 1; worker < settings.workers; ++worker) {
    parts.criteria.push_back(make_criterion(run, translator));
    more.push_back(parts.criteria.back().get());
  }
  parts.validator->work_with(more, settings.threads);
}

void translate_in_validation(TrainRun& run,
                             const TranslationModel& translator,
                             ValidationParts& parts) {
  std::vector<Decoder*> decoders;
  for (int64_t worker = 0; worker < thread_settings(run).workers; ++worker) {
    parts.decoders.push_back(make_validation_decoder(run, *translator.task));
    decoders.push_back(parts.decoders.back().get());
  }
  if (run.metric.component == nullptr)  // --eval-bleu from a configuration file
    run.metric = run.loaded->registry.select(Metric::kKind, run.components.metric);
  parts.metric =
      std::make_unique<NamedMetric>(run.metric, MetricSetup{translator.task->target_language()});
  parts.validator->translate_with(std::move(decoders), *parts.metric);
}

ValidationParts make_validation(TrainRun& run,
                                const TranslationModel& translator,
                                Criterion& criterion,
                                ProcessGroup& processes) {
  ValidationParts parts;
  if (run.validation.disable_validation)
    return parts;
  const std::string& subset = run.validation.valid_subset;
  if (!translator.task->has_split(subset)) {
    throw DataError(fmt::format("{} has no split '{}' to validate on",
                                data_folders(run.components.data).front(),
                                subset),
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
  parts.validator->share_with(processes);
  divide_work(run, translator, parts);
  if (run.validation.eval_bleu)
    translate_in_validation(run, translator, parts);
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
  if (data_folders(run.components.data).size() == 1)  // of several, one does not say enough
    warn_of_vocabulary(translator.task->target_dictionary(), training);
  const std::string& subset = run.validation.valid_subset;
  if (!run.validation.disable_validation)
    warn_of_overlap(training, *translator.open(subset, /*training=*/false));
}

void announce(const TrainRun& run,
              const TranslationModel& translator,
              const BatchIterator& batches,
              const ProcessGroup& processes) {
  const WorkerSettings threads = thread_settings(run);
  const std::string shares =
      threads.workers > 1 ? fmt::format("in {} shares of each batch, ", threads.workers) : "";
  log_info(fmt::format("{}: {} parameters on {}, {} threads, {}{}",
                       run.components.arch,
                       parameter_count(*translator.parameters),
                       translator.parameters->values().device().str(),
                       at::get_num_threads(),
                       shares,
                       precision_text(precision_choice(run))));
  if (precision_of(run) == nn::Precision::kFp16 && translator.parameters->values().is_cpu()) {
    log_warning(
        "--fp16 on a CPU is slow; --precision auto chooses the fastest precision of the device");
  }
  log_info(fmt::format("{} batches per epoch", batches.batches_in_epoch()));
  if (!processes.is_alone()) {
    log_info(fmt::format("{} processes: an update consists of {} times --update-freq batches",
                         processes.size(),
                         processes.size()));
  }
  if (batches.skipped().total() > 0)
    log_warning("sentence pairs that are skipped in training: " + batches.skipped().text());
}

void write_manifest(const TrainRun& run, const std::string& folder, nlohmann::json manifest) {
  manifest["precision"] = precision_text(precision_choice(run));
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

/// What must be equal in all processes: build, plugins, options, data, parameters.
nlohmann::json run_record(const TrainRun& run,
                          const TranslationModel& translator,
                          const Corpus& corpus) {
  const auto manifest =
      run_manifest({}, run.table, run.loaded->plugins, translator, corpus.fingerprint());
  nlohmann::json options = to_json(run.table);
  for (std::string name : options_of_one_process()) {
    std::replace(name.begin(), name.end(), '-', '_');
    options.erase(name);
  }
  nlohmann::json plugins = nlohmann::json::object();
  for (const auto& plugin : manifest.at("plugins"))
    plugins[plugin.at("name").get<std::string>()] = {{"version", plugin.at("version")},
                                                     {"crc32c", plugin.at("crc32c")}};
  return {{"build", manifest.at("build")},
          {"plugins", plugins},
          {"options", options},
          {"vocabulary", manifest.at("vocabulary")},
          {"data", manifest.at("data")},
          {"parameters", manifest.at("parameters")},
          {"processor_level", manifest.at("processor_level")},
          {"threads", manifest.at("threads")}};
}

/// The run that the first process resumes, as all processes need it.
struct ResumedRun {
  std::optional<CheckpointFile> file;  ///< in the first process
  std::string path;
  std::optional<TrainRecord> record;
};

ResumedRun find_resumed_run(const CheckpointOptions& options,
                            const CheckpointFolder* folder,
                            ProcessGroup& processes) {
  ResumedRun resumed;
  if (processes.is_first())
    resumed.file = file_to_resume(options, folder);
  std::string text;
  if (resumed.file) {
    resumed.record = read_train_record(*resumed.file);
    resumed.path = resumed.file->path();
    text = resumed.file->metadata("train");
  }
  resumed.path = processes.text_of_first(resumed.path);
  text = processes.text_of_first(text);
  if (!processes.is_first() && !text.empty())
    resumed.record = parse_train_record(text, resumed.path);
  return resumed;
}

/// With the batches that all processes together compute for an update.
OptimizationOptions of_all(OptimizationOptions options, const ProcessGroup& processes) {
  for (int64_t& batches : options.update_freq) batches *= processes.size();
  return options;
}

/// What only the first process writes is switched off in the others.
MachineOptions logging_of(const TrainRun& run, const ProcessGroup& processes) {
  MachineOptions machine = run.machine;
  if (!processes.is_first()) {
    machine.quiet = true;
    machine.tensorboard_logdir.clear();
  }
  return machine;
}

/// What a new run begins with in place of random values: the parameters of --finetune-from-model,
/// or the embeddings of --encoder-embed-path and --decoder-embed-path.
void take_first_parameters(const TrainRun& run, TranslationModel& translator) {
  const std::string& checkpoint = run.checkpoints.finetune_from_model;
  if (checkpoint.empty()) {
    run.embeddings.copy_into(translator);
  } else {
    if (run.embeddings.wanted())
      log_warning("--finetune-from-model: the embeddings are those of the checkpoint");
    const auto file = CheckpointFile::open(resolve_checkpoint(checkpoint));
    reject_quantized(file);
    translator.load_parameters(file);
  }
  translator.parameters->refresh_copy(precision_of(run));
}

/// 0 with --no-overlap.
int64_t bucket_bytes(const DistributedOptions& options) {
  constexpr double kMegabyte = 1024 * 1024;
  return options.no_overlap
             ? 0
             : std::max(int64_t{1}, static_cast<int64_t>(options.bucket_cap_mb * kMegabyte));
}

/// What training needs besides its batches but has not taken yet: a second buffer of gradients
/// where several batches or processes are summed, and the average of the parameters.
int64_t reserved_bytes(const TrainRun& run,
                       const TranslationModel& translator,
                       const ProcessGroup& processes) {
  const auto bytes = static_cast<int64_t>(translator.parameters->values().nbytes());
  const auto& update_freq = run.optimization.update_freq;
  const bool sums = run.optimization.accumulate_to_tokens > 0 || !processes.is_alone() ||
                    *std::max_element(update_freq.begin(), update_freq.end()) > 1;
  return (sums ? bytes : 0) + (run.average.enabled() ? bytes : 0);
}

TrainerOptions trainer_options(const TrainRun& run) {
  return {run.optimization,
          run.validation,
          run.checkpoints,
          precision_of(run),
          static_cast<uint64_t>(run.machine.seed),
          {run.distributed.comm_hook == CommHook::kBf16 ? Wire::kBf16 : Wire::kSame,
           bucket_bytes(run.distributed)},
          run.machine.loss_scale,
          run.machine.checkpoint_activations,
          &run.table};
}

NamedScheduler make_scheduler(const TrainRun& run,
                              const TranslationModel& translator,
                              const Validator* validator) {
  return {run.scheduler,
          {run.optimization.lr.front(),
           translator.model->model_width(),
           run.optimization.max_update,
           run.optimization.lr,
           larger_is_better(run.validation, validator)}};
}

/// Only the first process has a folder.
std::unique_ptr<CheckpointFolder> make_folder(const CheckpointOptions& options,
                                              const ProcessGroup& processes) {
  if (options.no_save || !processes.is_first())
    return nullptr;
  return std::make_unique<CheckpointFolder>(options.save_dir);
}

/// The model that the first process begins with; the others get its parameters later.
TranslationModel make_first_translator(TrainRun& run,
                                       const ResumedRun& resumed,
                                       const ProcessGroup& processes) {
  TranslationModel translator = make_translator(run, run.loaded->registry);
  if (processes.is_first() && !resumed.record)
    take_first_parameters(run, translator);
  return translator;
}

/// The training set, when all processes agree on the run that they are about to begin.
std::shared_ptr<Corpus> open_agreed_corpus(const TrainRun& run,
                                           const TranslationModel& translator,
                                           ProcessGroup& processes) {
  std::shared_ptr<Corpus> corpus = translator.open(run.components.train_subset, /*training=*/true);
  if (!processes.is_alone())
    require_agreement(processes, run_record(run, translator, *corpus));
  return corpus;
}

/// The optimizer; `sharded` is the same one where its state is divided between processes.
struct OptimizerParts {
  std::unique_ptr<Optimizer> optimizer;
  ShardedOptimizer* sharded = nullptr;
};

OptimizerParts make_optimizer(const TrainRun& run,
                              nn::FlatParameters& parameters,
                              ProcessGroup& processes) {
  const auto make = [&run](const OptimizerSetup& setup) -> std::unique_ptr<Optimizer> {
    return std::make_unique<NamedOptimizer>(run.optimizer, setup);
  };
  if (run.distributed.zero_sharding == ZeroSharding::kNone || processes.is_alone())
    return {make({&parameters}), nullptr};
  auto sharded =
      std::make_unique<ShardedOptimizer>(make, run.optimizer.name, parameters, processes);
  ShardedOptimizer* const same = sharded.get();
  return {std::move(sharded), same};
}

/// One training from the options to the last checkpoint: the parts, in the order in which they need
/// one another, and the steps of their use.
class TrainingJob {
 public:
  TrainingJob(TrainRun& run, ProcessGroup& processes)
      : run_(run),
        processes_(processes),
        folder_(make_folder(run.checkpoints, processes)),
        resumed_(find_resumed_run(run.checkpoints, folder_.get(), processes)),
        translator_(make_first_translator(run, resumed_, processes)),
        criterion_(make_criterion(run, translator_)),
        optimizer_(make_optimizer(run, *translator_.parameters, processes)),
        corpus_(open_agreed_corpus(run, translator_, processes)),
        automatic_batches_(settle_automatic_batches()),
        batches_(
            corpus_,
            training_batches(run, *translator_.model),
            [this](const std::vector<Example>& examples) { return collate(examples); },
            run.machine.data_buffer_size),
        length_(settle_length()),
        validation_(make_validation(run, translator_, *criterion_, processes)),
        scheduler_(make_scheduler(run, translator_, validation_.validator.get())),
        average_(make_average()),
        log_(logging_of(run, processes), folder_ ? folder_->path() : "") {
    warn();
  }

  /// Trains; returns the exit code.
  int train(std::span<const std::string> arguments) {
    announce(run_, translator_, batches_, processes_);
    announce_preset_values(run_, translator_.architecture_selection.training);
    TrainingShares shares(
        translator_,
        *criterion_,
        [this] { return make_criterion(run_, translator_); },
        thread_settings(run_));
    Trainer trainer(parts(shares), trainer_options(run_));
    if (resumed_.record)
      trainer.resume(resumed_.path, *resumed_.record, resumed_.file ? &*resumed_.file : nullptr);
    record(arguments);  // only now: a run that is rejected leaves the manifest of the one before
    const CurvesAtEnd curves(folder_ && !run_.machine.no_plot ? folder_->path() : "");
    const int signal = trainer.run();
    summarize(trainer.state());
    processes_.finish();
    return signal == 0 ? kExitOk : 128 + signal;
  }

 private:
  const TrainingDefaults& defaults() const { return translator_.architecture_selection.training; }

  /// On the prefetching thread.
  Batch collate(const std::vector<Example>& examples) const {
    Batch batch = translator_.collate(examples);
    return translator_.parameters->values().is_cuda() ? batch.pinned() : batch;
  }

  /// Without an automatic size, nothing.
  std::optional<nlohmann::json> settle_automatic_batches() {
    AutomaticBatches request;
    request.parts = {&translator_,
                     criterion_.get(),
                     corpus_.get(),
                     [this] { return make_criterion(run_, translator_); },
                     [this](int64_t max_tokens) { return thread_settings(run_, max_tokens); }};
    request.settings = {precision_of(run_), run_.machine.checkpoint_activations, {}};
    request.batching = training_batches(run_, *translator_.model);
    request.reserved_bytes = reserved_bytes(run_, translator_, processes_);
    request.recorded = resumed_.record ? &resumed_.record->options : nullptr;
    request.processes = &processes_;
    return settle_batches(run_.table, request);
  }

  /// The updates of the whole run, where that is known; a share of it is the warm-up.
  std::optional<int64_t> settle_length() {
    const auto length =
        expected_updates(of_all(run_.optimization, processes_), batches_.batches_in_epoch());
    take_warmup(defaults(),
                length,
                resumed_.record ? resumed_.record->options : nlohmann::json::object(),
                run_.table);
    return length;
  }

  std::unique_ptr<ParameterAverage> make_average() {
    return run_.average.enabled()
               ? std::make_unique<ParameterAverage>(run_.average, *translator_.parameters)
               : nullptr;
  }

  void warn() const {
    warn_of_warmup(length_, run_.table);
    if (processes_.is_first())
      warn_of_data(run_, translator_, *corpus_);
  }

  TrainerParts parts(TrainingShares& shares) {
    return {&translator_,
            &shares,
            optimizer_.optimizer.get(),
            &scheduler_,
            &batches_,
            validation_.validator.get(),
            folder_.get(),
            &log_,
            &signals_,
            average_.get(),
            &processes_,
            optimizer_.sharded};
  }

  /// run.json
  void record(std::span<const std::string> arguments) const {
    if (!folder_)
      return;
    auto manifest = run_manifest(
        arguments, run_.table, run_.loaded->plugins, translator_, corpus_->fingerprint());
    manifest["processes"] = processes_.size();
    if (automatic_batches_)
      manifest["automatic_batches"] = *automatic_batches_;
    write_manifest(run_, folder_->path(), std::move(manifest));
  }

  void summarize(const TrainState& state) const {
    const std::string text = folder_ ? training_summary(run_, state, *folder_, translator_) : "";
    if (!text.empty())
      log_info(text);
  }

  TrainRun& run_;
  ProcessGroup& processes_;
  std::unique_ptr<CheckpointFolder> folder_;
  ResumedRun resumed_;
  TranslationModel translator_;
  std::unique_ptr<Criterion> criterion_;
  OptimizerParts optimizer_;
  std::shared_ptr<Corpus> corpus_;
  std::optional<nlohmann::json> automatic_batches_;  ///< how they were found
  BatchIterator batches_;
  std::optional<int64_t> length_;
  ValidationParts validation_;
  NamedScheduler scheduler_;
  std::unique_ptr<ParameterAverage> average_;
  TrainingLog log_;
  StopSignals signals_;
};

int train_together(TrainRun& run, std::span<const std::string> arguments, ProcessGroup& processes) {
  warn_of_other_criterion(run.architecture, run.criterion);
  return TrainingJob(run, processes).train(arguments);
}

/// As --threads says; else the cores of the machine, shared with the other processes on it.
void set_threads(const TrainRun& run, const Placement& place) {
  if (run.machine.threads > 0) {
    at::set_num_threads(static_cast<int>(run.machine.threads));
  } else if (place.local_world_size > 1 && !process_environment()("OMP_NUM_THREADS")) {
    at::set_num_threads(std::max(1, at::get_num_threads() / place.local_world_size));
  }
}

/// Of several processes on a machine, each has a GPU of its own.
void take_device(TrainRun& run, const Placement& place) {
  const int64_t devices = at::hasCUDA() ? at::getNumGPUs() : 0;
  const int64_t wanted =
      run.distributed.device_id >= 0 ? run.distributed.device_id : int64_t{place.local_rank};
  if (devices == 0 || (place.world_size == 1 && run.distributed.device_id < 0))
    return;
  if (run.distributed.device_id >= devices) {
    throw UsageError(fmt::format("--device-id is {}, but this machine has {} GPUs (from 0 to {})",
                                 wanted,
                                 devices,
                                 devices - 1));
  }
  run.device.index = wanted % devices;
}

/// Joins the other processes, trains with them, and tells them when this one fails.
int train_in_group(TrainRun& run, std::span<const std::string> arguments, const Placement& place) {
  constexpr int kRepeats = 1000;
  StopSignals::take_repeats_for_one(kRepeats);
  if (place.rank > 0)
    log_only_errors(fmt::format("rank {}: ", place.rank));
  const auto processes = join_processes(place, run.distributed, run.device.chosen());
  try {
    return train_together(run, arguments, *processes);
  } catch (const RankFailure& failure) {
    processes->report_failure(failure.message(), /*is_own=*/false);
    throw;
  } catch (const Error& failure) {
    processes->report_failure(failure.what(), /*is_own=*/true);
    if (processes->first_fails_alike(failure.what()))
      return failure.exit_code();  // bad options are told once
    throw;
  } catch (const std::exception& failure) {
    processes->report_failure(failure.what(), /*is_own=*/true);
    throw;
  }
}

}  // namespace

int train(TrainRun& run, std::span<const std::string> arguments) {
  const Environment environment = process_environment();
  if (const int count = processes_to_start(run.distributed, environment); count > 0)
    return run_local_processes(arguments, run.distributed, count);
  end_with_launcher(environment);
  const Placement place = find_placement(run.distributed, environment);
  set_threads(run, place);
  take_device(run, place);
  run.device.apply();
  set_log_quiet(run.machine.quiet);
  if (!run.machine.log_file.empty() && place.rank == 0)
    add_log_file(run.machine.log_file);
  if (place.world_size == 1)
    return train_together(run, arguments, single_process());
  return train_in_group(run, arguments, place);
}

}  // namespace phraseq
