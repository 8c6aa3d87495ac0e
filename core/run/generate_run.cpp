#include "core/run/generate_run.h"

#include <chrono>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/work_profile.h"
#include "core/data/source_trees.h"
#include "core/options/command_line.h"
#include "core/run/result_output.h"
#include "core/score/metrics/named_metric.h"
#include "core/score/report/evaluation.h"
#include "core/text/subword_marks.h"
#include "core/translate/hypothesis_text.h"
#include "core/translate/repeated_hypotheses.h"
#include "core/translate/sentence_source.h"
#include "core/translate/translator.h"

namespace phraseq {

namespace {

constexpr int64_t kBatchTokens = 1024;

std::string decoder_name(std::span<const std::string> arguments, const GenerateOptions& options) {
  const std::string fallback = peek_flag(arguments, "sampling") ? "sampling" : options.decoder;
  return peek_option(arguments, "decoder", fallback);
}

/// Says at once, not at the first batch, that trees are missing.
void require_trees(const std::vector<TranslationModel>& models, const GenerateOptions& options) {
  for (const TranslationModel& model : models) {
    const Options& architecture = *model.architecture_selection.options;
    if (!options.data.empty()) {
      require_source_trees(architecture,
                           *model.task_selection.options,
                           {options.data, model.task->source_language(), {options.gen_subset}},
                           /*trained=*/true);
    } else if (const TreeUse* use = tree_use_of(architecture); use && options.trees.empty()) {
      throw UsageError(
          fmt::format("{}: the model's {} needs the parse trees of the sentences",
                      model.path,
                      use->asked_by()),
          fmt::format("give them with --trees FILE, a bracketed tree a line; {} needs none",
                      option_without_trees(*use, /*trained=*/true)));
    }
  }
}

Translator make_engine(const GenerateRun& run, const WorkerSettings& workers) {
  const WorkSpan span(Work::kLoading);
  TranslationSettings settings;
  settings.precision = run.model.precision;
  settings.need_attention = run.options.format.print_alignment != PrintAlignment::kNone;
  settings.seed = static_cast<uint64_t>(run.options.seed);
  settings.max_sentences = run.options.batches.batch_size;
  const bool unlimited = run.options.batches.max_tokens == 0 && run.options.batches.batch_size == 0;
  settings.max_tokens = unlimited ? kBatchTokens : run.options.batches.max_tokens;
  settings.workers = workers;
  auto models = load_models(run.loaded->registry, run.model, run.options.data);
  require_trees(models, run.options);
  return {std::move(models), run.decoder, settings};
}

std::unique_ptr<SentenceSource> open_source(const GenerateOptions& options,
                                            const Translator& engine) {
  if (!options.data.empty())
    return open_split(engine.model(), options.data, options.gen_subset);
  LineReaderOptions reading;
  reading.on_bad_line = options.on_bad_line;
  return std::make_unique<TextSource>(engine.task(),
                                      TextFiles{options.input, {}, options.trees},
                                      reading,
                                      engine.max_source_positions(),
                                      options.truncate_source);
}

/// What the last lines of the log say: how much was translated, how fast, how well.
class Report {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Report(PostProcess remove_bpe) : remove_bpe_(remove_bpe) {}

  void add(const std::vector<Translation>& translations, const Task& task, Clock::duration time) {
    seconds_ += std::chrono::duration<double>(time).count();
    for (const Translation& translation : translations) {
      const Hypothesis& best = translation.hypotheses.front();
      ++sentences_;
      tokens_ += static_cast<int64_t>(best.tokens.size());
      const std::string text = hypothesis_text(task, translation.example, best, remove_bpe_);
      repeated_.note(translation.example.source, text);
      if (translation.example.target.empty())
        continue;
      hypotheses_.push_back(text);
      references_.push_back(reference_text(task, translation.example, remove_bpe_));
    }
  }

  std::string speed() const {
    const double seconds = std::max(seconds_, 1e-9);
    return fmt::format(
        "Translated {} sentences ({} tokens) in {:.1f} s ({:.2f} sentences/s, {:.2f} tokens/s)",
        sentences_,
        tokens_,
        seconds_,
        static_cast<double>(sentences_) / seconds,
        static_cast<double>(tokens_) / seconds);
  }

  void warn_of_repeated_hypotheses() const {
    const std::string finding = repeated_.finding();
    if (finding.empty())
      return;
    log_warning(fmt::format(
        "{}. Give the input in the form of the training text (language, case, subwords). If it has "
        "this form, train the model for longer or with another --lr",
        finding));
  }

  bool has_references() const {
    return sentences_ > 0 && static_cast<int64_t>(references_.size()) == sentences_;
  }
  std::string score_text(const Metric& metric) const {
    warn_of_subwords(references_, "--remove-bpe");
    const auto scored = score::score_corpus(metric, hypotheses_, std::span(&references_, 1));
    return score::format_text(scored, score::kLogStyle);
  }

 private:
  PostProcess remove_bpe_;
  double seconds_ = 0;
  int64_t sentences_ = 0;
  int64_t tokens_ = 0;
  std::vector<std::string> hypotheses_, references_;
  RepeatedHypotheses repeated_;
};

/// "Generate test with beam=5: BLEU|… = …", the metric's own line with its signature.
std::string evaluation_text(GenerateRun& run, const Report& report, const Task& task) {
  if (run.metric.component == nullptr)
    run.metric = run.loaded->registry.select(Metric::kKind, run.options.metric);
  const NamedMetric metric(run.metric, {task.target_language()});
  const OptionField* beam = run.table.find("beam");
  const std::string search = beam != nullptr ? "beam=" + beam->to_text() : run.decoder.name;
  return fmt::format(
      "Generate {} with {}: {}", run.options.gen_subset, search, report.score_text(metric));
}

}  // namespace

GenerateRun::GenerateRun(std::span<const std::string> arguments, bool line_by_line)
    : loaded(load_plugins_for(arguments)), options(line_by_line) {
  options.describe(table);
  model.describe(table);
  decoder = loaded->registry.select("decoder", decoder_name(arguments, options));
  table.section(fmt::format("decoder {}", decoder.name));
  decoder.options->describe(table);
  if (const std::string name = peek_option(arguments, "scoring", ""); !name.empty()) {
    metric = loaded->registry.select(Metric::kKind, name);
    phraseq::describe(table, metric);
  }
}

std::vector<std::string> GenerateRun::problems() {
  std::vector<std::string> problems = options.problems();
  for (auto& problem : decoder.options->problems()) problems.push_back(std::move(problem));
  const OptionField* nbest = table.find("nbest");
  if (options.format.format == OutputFormat::kPlain && nbest != nullptr &&
      nbest->to_text() != "1") {
    problems.emplace_back(
        "plain text has one line per sentence: use --nbest with --format fairseq or jsonl");
  }
  return problems;
}

namespace {

/// The sentences of one buffer; empty at the end.
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

}  // namespace

int generate(GenerateRun& run) {
  if (run.options.profile)
    start_work_profile();
  set_log_quiet(run.options.quiet || run.options.interactive);
  const WorkerSettings workers = run.model.worker_settings();
  at::set_num_threads(static_cast<int>(workers.threads));
  ResultOutput output(run.options.output);  // first: a bad place is found before the work
  Translator engine = make_engine(run, workers);
  const auto source = open_source(run.options, engine);
  Report report(run.options.format.post_process);
  bool is_read = true;
  while (is_read) {
    auto examples = read(*source, run.options.buffer_size);
    if (examples.empty())
      break;
    const auto start = Report::Clock::now();
    const auto translations = engine.translate(std::move(examples));
    report.add(translations, engine.task(), Report::Clock::now() - start);
    if (!run.options.quiet)
      write(translations, run, engine.task(), output);
    is_read = output.flush();
  }
  log_info(report.speed());
  report.warn_of_repeated_hypotheses();
  if (report.has_references()) {
    const std::string score = evaluation_text(run, report, engine.task());
    const bool is_result = run.options.quiet || run.options.format.format == OutputFormat::kFairseq;
    if (is_result) {
      output.write(score + '\n');
    } else {
      log_info(score);
    }
  }
  output.commit();
  if (run.options.profile)
    fmt::print(stderr, "{}", work_profile_text(work_profile()));
  return kExitOk;
}

}  // namespace phraseq
