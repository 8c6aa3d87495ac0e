#include "core/run/generation/generate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/work_profile.h"
#include "core/io/standard_streams.h"
#include "core/run/generation/generation_report.h"
#include "core/run/generation/generation_translator.h"
#include "core/run/loaded_models.h"
#include "core/run/result_output.h"
#include "core/run/shard_run.h"
#include "core/score/metrics/named_metric.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/translate/extras/mbr_choice.h"
#include "core/translate/extras/unknown_words.h"
#include "core/translate/operator_threads.h"
#include "core/translate/sentence_source.h"
#include "core/translate/translator.h"

namespace phraseq {
namespace {

std::unique_ptr<SentenceSource> open_source(GenerateRun& run, const Translator& translator) {
  const GenerateOptions& options = run.options;
  if (!options.data.empty())
    return open_split(translator.model(),
                      options.data,
                      options.gen_subset,
                      options.truncate_source ? translator.max_source_tokens() : kAnyLength);
  LineReaderOptions reading;
  reading.on_bad_line = options.on_bad_line;
  TextFiles files{options.input, {}, options.trees};
  files.with_constraints = run.constraint_order() != ConstraintOrder::kNone;
  files.keep_text = !options.replace_unk.empty();
  return std::make_unique<TextSource>(
      translator.task(), files, reading, translator.max_source_tokens(), options.truncate_source);
}

/// "Generate test with beam=5: BLEU|… = …", the metric's own line with its signature.
std::string evaluation_text(const GenerateRun& run,
                            const GenerationReport& report,
                            const Metric& metric) {
  const OptionField* beam = run.table.find("beam");
  if (beam != nullptr &&
      beam->to_text() == "0")  // sampling: fairseq's beam is the number of samples
    beam = run.table.find("nbest");
  const std::string search = beam != nullptr ? "beam=" + beam->to_text() : run.decoder.name;
  return fmt::format(
      "Generate {} with {}: {}", run.options.gen_subset, search, report.score_text(metric));
}

/// Turns the sentences of a buffer into results, ready to be written.
class ResultMaker {
 public:
  ResultMaker(GenerateRun& run, Translator& translator, const WorkerSettings& workers)
      : options_(run.options), translator_(translator), workers_(workers) {
    if (!options_.replace_unk.empty() && options_.replace_unk != kCopySource)
      unknown_words_ = UnknownWords::read(options_.replace_unk);
    if (!options_.mbr.empty())
      utility_ = run.loaded->registry.select(Metric::kKind, options_.mbr);
  }

  const Task& task() const { return translator_.task(); }

  /// The translations of the examples, or with --score-reference their references with scores.
  std::vector<Translation> results_for(std::vector<Example> examples) {
    auto results = options_.score_reference ? score_references(std::move(examples))
                                            : translator_.translate(std::move(examples));
    if (!options_.replace_unk.empty()) {
      for (Translation& translation : results) replace_unknowns(translation);
    }
    if (utility_.component != nullptr)
      choose_by_utility(results);
    return results;
  }

 private:
  std::vector<Translation> score_references(std::vector<Example> examples) const {
    for (const Example& example : examples) {
      if (example.target.empty()) {
        throw DataError(fmt::format("--score-reference: the split '{}' of {} has no references",
                                    options_.gen_subset,
                                    options_.data),
                        "Preprocess the text of both languages, without --only-source.");
      }
    }
    const WorkSpan span(Work::kSearch);
    return translator_.score(std::move(examples));
  }

  void replace_unknowns(Translation& translation) const {
    for (Hypothesis& hypothesis : translation.hypotheses) {
      hypothesis.unknown_words =
          unknown_words_.replacements(task(), translation.example, hypothesis);
    }
  }

  void choose_by_utility(std::vector<Translation>& translations) const {
    const NamedMetric metric(utility_,
                             {primary_language(task().target_language()), /*sentence_level=*/true});
    choose_by_mbr(translations,
                  {task(), metric, options_.mbr_weights, options_.format.post_process},
                  workers_);
  }

  const GenerateOptions& options_;
  Translator& translator_;
  WorkerSettings workers_;
  UnknownWords unknown_words_;
  Selection utility_;
};

/// Reads the sentences of one buffer; empty at the end of the source.
std::vector<Example> read(SentenceSource& source, int64_t count) {
  const WorkSpan span(Work::kText);
  return source.take(count);
}

void write(const std::vector<Translation>& translations,
           const GenerateRun& run,
           const Task& task,
           ResultOutput& output) {
  const WorkSpan span(Work::kText);
  for (const Translation& translation : translations)
    output.write(translation_text(translation, task, run.options.format));
}

/// Translates the source, a buffer at a time, and adds the translations to `report`. Returns false
/// if the reader of the output disappears before everything is written.
bool translate_all(const GenerateRun& run,
                   ResultMaker& maker,
                   SentenceSource& source,
                   ResultOutput& output,
                   GenerationReport& report) {
  for (bool is_read = true; is_read; is_read = output.flush()) {
    auto examples = read(source, std::max<int64_t>(run.options.buffer_size, 1));
    if (examples.empty())
      return true;
    const auto start = GenerationReport::Clock::now();
    const auto translations = maker.results_for(std::move(examples));
    report.add(translations, maker.task(), GenerationReport::Clock::now() - start);
    if (!run.options.quiet)
      write(translations, run, maker.task(), output);
  }
  return false;
}

/// The metric, if the translations will be scored. It is created before translating, so that a
/// rejected option does not waste hours.
std::unique_ptr<Metric> metric_for(const GenerateRun& run,
                                   const SentenceSource& source,
                                   const ShardRun& shards,
                                   const Task& task) {
  if (!source.has_references() || !shards.shard().is_all())
    return nullptr;
  return std::make_unique<NamedMetric>(run.metric,
                                       MetricSetup{primary_language(task.target_language())});
}

/// Logs the last lines and writes the score. The score belongs to the results if fairseq writes it
/// there or if there is no other result. `metric` may be null.
void conclude(const GenerateRun& run,
              const GenerationReport& report,
              const Metric* metric,
              ResultOutput& output) {
  log_info(report.speed());
  if (!run.options.score_reference)
    report.warn_of_repeated_hypotheses();
  report.warn_of_unknown_input();
  report.warn_of_unmet_constraints();
  if (run.options.quiet && !report.has_references())
    log_warning("--quiet prints only the score, and there are no references: nothing is printed");
  if (!report.has_references() || metric == nullptr)
    return;
  const std::string score = evaluation_text(run, report, *metric);
  if (run.options.quiet || run.options.format.format == OutputFormat::kFairseq) {
    output.write(score + '\n');
  } else {
    log_info(score);
  }
}

}  // namespace

int generate(GenerateRun& run) {
  if (run.options.profile)
    start_work_profile();
  set_log_quiet(run.options.quiet || run.options.interactive);
  run.options.format.format = run.options.output_format();
  const ShardRun shards(run.options.shards);
  shards.take_share_of_machine(run.model);
  const WorkerSettings workers = run.model.worker_settings();
  set_operator_threads(workers.threads);
  // First of all, so that an unusable output path is reported before any work.
  check_not_read(run.options.output, run.model, run.options.data);
  ResultOutput output(shards.output(run.options.output, {run.options.input, run.options.trees}));
  Translator translator = make_translator(run, workers);
  const auto source = open_source(run, translator);
  source->take_only(shards.shard());
  const auto metric = metric_for(run, *source, shards, translator.task());
  if (!run.options.lm_path.empty() && run.options.lm_weight == 0)
    log_warning("--lm-path has no effect: --lm-weight is 0");
  GenerationReport report(
      run.options.format.post_process, run.constraint_order(), translator.task());
  ResultMaker maker(run, translator, workers);
  const bool is_whole = translate_all(run, maker, *source, output, report);
  conclude(run, report, is_whole ? metric.get() : nullptr, output);
  shards.seal(output, *source, run.options.format.format, run.table, run.model);
  output.commit();
  if (run.options.profile)
    write_to_standard_error(work_profile_text(work_profile()));
  return kExitOk;
}

}  // namespace phraseq
