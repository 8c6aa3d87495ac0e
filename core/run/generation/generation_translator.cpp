#include "core/run/generation/generation_translator.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/data/joined/data_folders.h"
#include "core/data/source_trees.h"
#include "core/options/option_text.h"
#include "core/run/batches/search_batches.h"
#include "core/run/loaded_models.h"

namespace phraseq {
namespace {

void require_trees(const std::vector<TranslationModel>& models, const GenerateOptions& options) {
  for (const TranslationModel& model : models) {
    const Options& architecture = *model.architecture_selection.options;
    if (!options.data.empty()) {
      require_source_trees(
          architecture,
          *model.task_selection.options,
          {data_folders(options.data).front(), model.task->source_language(), {options.gen_subset}},
          /*trained=*/true);
    } else if (const TreeUse* use = tree_use_of(architecture); use && options.trees.empty()) {
      throw UsageError(
          fmt::format("{}: the model's {} needs the parse trees of the sentences",
                      model.path,
                      use->asked_by()),
          fmt::format(
              "Give them with --trees FILE, one bracketed tree per line; {} does not need them.",
              option_without_trees(*use, /*trained=*/true)));
    }
  }
}

/// Rejects language models, which have no attention to a source.
void require_sources(const std::vector<TranslationModel>& models) {
  for (const TranslationModel& model : models) {
    if (model.model->conventions().reads_source)
      continue;
    throw UsageError(
        fmt::format("{}: a language model reads no source: there is no alignment", model.path),
        "Do not use --print-alignment or --replace-unk.");
  }
}

/// Loads the model of --lm-path on the device and with the precision of the translation models.
TranslationModel load_language_model(const GenerateRun& run) {
  ModelOptions options = run.model;
  options.path = run.options.lm_path;
  options.model_overrides.clear();
  options.mask_heads.clear();
  options.phrase_table.clear();
  options.direction = {};
  options.tokenizer.clear();
  auto models = load_models(run.loaded->registry, options, /*data=*/"");
  if (models.size() > 1)
    throw UsageError("--lm-path names several checkpoints; give one");
  return std::move(models.front());
}

/// Passes the choice of --tokenizer or --bpe on to the model options.
void choose_tokenizer(GenerateRun& run) {
  if (run.tokenizer.component == nullptr)
    return;
  run.model.tokenizer = run.tokenizer.name;
  run.model.tokenizer_options = to_json(described(run.tokenizer));
}

TranslationSettings settings_of(const GenerateRun& run, const WorkerSettings& workers) {
  TranslationSettings settings;
  settings.precision = run.model.precision;
  settings.need_attention = run.options.format.print_alignment != PrintAlignment::kNone ||
                            !run.options.replace_unk.empty();
  settings.need_scores =
      run.options.output_format() != OutputFormat::kPlain || !run.options.mbr.empty();
  settings.seed = static_cast<uint64_t>(run.options.seed);
  settings.max_sentences = run.options.batches.batch_size;
  settings.max_tokens = source_tokens_of_batch(run.options.batches, run.model.device.chosen());
  settings.workers = workers;
  return settings;
}

}  // namespace

Translator make_translator(GenerateRun& run, const WorkerSettings& workers) {
  const WorkSpan span(Work::kLoading);
  choose_tokenizer(run);
  TranslationSettings settings = settings_of(run, workers);
  auto models = load_models(run.loaded->registry, run.model, run.options.data);
  require_trees(models, run.options);
  warn_of_unused_trees(models, run.options.trees);
  settings.shortlist = run.shortlist.read(models.front().task->source_dictionary(),
                                          models.front().task->target_dictionary());
  if (settings.need_attention)
    require_sources(models);
  Translator translator(std::move(models), run.decoder, settings);
  if (run.options.lm_weight != 0)
    translator.fuse_with(load_language_model(run), run.options.lm_weight);
  return translator;
}

}  // namespace phraseq
