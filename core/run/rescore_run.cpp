#include "core/run/rescore_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/run/loaded_models.h"
#include "core/run/result_output.h"
#include "core/run/shard_run.h"
#include "core/score/contrastive/contrastive_plot.h"
#include "core/score/contrastive/contrastive_text.h"
#include "core/translate/operator_threads.h"
#include "core/translate/scoring/score_pairs.h"
#include "core/translate/scoring/score_targets.h"
#include "core/translate/sentence_source.h"

namespace phraseq {
namespace {

std::unique_ptr<SentenceSource> open_pairs(const RescoreOptions& options,
                                           const TranslationModel& model,
                                           int64_t max_source_tokens) {
  if (!options.data.empty())
    return open_split_with_references(model,
                                      options.data,
                                      options.gen_subset,
                                      options.truncate_source ? max_source_tokens : kAnyLength);
  return std::make_unique<TextSource>(*model.task,
                                      TextFiles{options.source, options.target, options.trees},
                                      LineReaderOptions{},
                                      max_source_tokens,
                                      options.truncate_source);
}

/// The output for a given translation: a line with its log-probability, or the whole record.
std::string log_probability_text(const Translation& translation,
                                 const Task& task,
                                 const TranslationFormat& format) {
  if (format.format != OutputFormat::kPlain)
    return translation_text(translation, task, format);
  return fmt::format("{}\n", translation.hypotheses.front().log_probability);
}

}  // namespace

RescoreRun::RescoreRun(std::span<const std::string> arguments)
    : loaded(load_plugins_for(arguments)) {
  options.describe(table);
  model.describe(table);
}

namespace {

/// Writes a line, or a record, for each of the pairs.
int rescore_pairs(RescoreRun& run, const TranslationSettings& settings, const ShardRun& shards) {
  // First of all, so that an unusable output path is reported before any work.
  ResultOutput output(shards.output(run.options.output,
                                    {run.options.source, run.options.target, run.options.trees}));
  const auto models = load_models(run.loaded->registry, run.model, run.options.data);
  warn_of_unused_trees(models, run.options.trees);
  int64_t max_source_tokens = kAnyLength;
  for (const TranslationModel& model : models) {
    max_source_tokens = std::min(max_source_tokens, model.max_source_tokens());
  }
  const Task& task = *models.front().task;
  const auto source = open_pairs(run.options, models.front(), max_source_tokens);
  source->take_only(shards.shard());
  for (auto examples = source->take(run.options.buffer_size); !examples.empty();
       examples = source->take(run.options.buffer_size)) {
    for (const Translation& translation : score_targets(models, std::move(examples), settings)) {
      output.write(log_probability_text(translation, task, run.options.format));
    }
    if (!output.flush())
      break;
  }
  shards.seal(output, *source, run.options.format.format, run.table, run.model);
  output.commit();
  return kExitOk;
}

/// Prints the report, and writes the pairs and the picture if they were requested.
int evaluate_contrastive(RescoreRun& run, const TranslationSettings& settings) {
  const auto& options = run.options.contrastive;
  check_result_target(run.options.output);
  check_result_target(options.plot);
  const auto set = score::read_contrastive_set(options.contrastive, options.columns);
  std::vector<std::string> paths = {run.model.path};
  paths.insert(paths.end(), options.against.begin(), options.against.end());
  std::vector<score::ContrastiveSystem> systems;
  for (const std::string& path : paths) {
    ModelOptions model = run.model;
    model.path = path;
    const auto models = load_models(run.loaded->registry, model, "");
    systems.push_back({path, score_pairs(models, set, settings, run.options.buffer_size)});
  }
  const auto report = score::evaluate_contrastive(set, systems, options.distance_edges);
  if (run.options.output != "-") {
    write_file(run.options.output,
               run.options.format.format == OutputFormat::kJsonl ? contrastive_jsonl(set, systems)
                                                                 : contrastive_rows(set, systems));
  }
  if (!options.plot.empty())
    write_file(options.plot, contrastive_plot(report).document());
  ResultOutput output("-");
  output.write(options.json ? contrastive_json(report) : contrastive_text(report));
  return kExitOk;
}

}  // namespace

int rescore(RescoreRun& run) {
  const ShardRun shards(run.options.shards);
  shards.take_share_of_machine(run.model);
  TranslationSettings settings;
  settings.precision = run.model.precision;
  settings.max_tokens = run.options.batches.max_tokens;
  settings.max_sentences = run.options.batches.batch_size;
  settings.workers = run.model.worker_settings();
  set_operator_threads(settings.workers.threads);
  check_not_read(run.options.output, run.model, run.options.data);
  return run.options.contrastive.wanted() ? evaluate_contrastive(run, settings)
                                          : rescore_pairs(run, settings, shards);
}

}  // namespace phraseq
