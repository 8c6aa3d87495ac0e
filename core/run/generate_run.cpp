#include "core/run/generate_run.h"

#include <chrono>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/work_profile.h"
#include "core/data/joined/data_folders.h"
#include "core/data/source_trees.h"
#include "core/options/command_line.h"
#include "core/options/option_text.h"
#include "core/run/result_output.h"
#include "core/run/shard_run.h"
#include "core/score/metrics/named_metric.h"
#include "core/score/report/evaluation.h"
#include "core/search/decoders/constrained_beam.h"
#include "core/text/dictionary.h"
#include "core/text/subword_marks.h"
#include "core/text/tokenizer.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/extras/mbr_choice.h"
#include "core/translate/extras/scored_text.h"
#include "core/translate/extras/unknown_words.h"
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
          fmt::format("give them with --trees FILE, a bracketed tree a line; {} needs none",
                      option_without_trees(*use, /*trained=*/true)));
    }
  }
}

/// A language model has no attention to a source.
void require_sources(const std::vector<TranslationModel>& models) {
  for (const TranslationModel& model : models) {
    if (model.model->conventions().reads_source)
      continue;
    throw UsageError(
        fmt::format("{}: a language model reads no source: there is no alignment", model.path),
        "leave --print-alignment and --replace-unk out");
  }
}

/// On the models' device and in their arithmetic.
TranslationModel load_language_model(const GenerateRun& run) {
  ModelOptions options = run.model;
  options.path = run.options.lm_path;
  options.model_overrides.clear();
  options.phrase_table.clear();
  options.direction = {};
  options.tokenizer.clear();
  auto models = load_models(run.loaded->registry, options, /*data=*/"");
  if (models.size() > 1)
    throw UsageError("--lm-path names several checkpoints; give one");
  return std::move(models.front());
}

Translator make_engine(GenerateRun& run, const WorkerSettings& workers) {
  const WorkSpan span(Work::kLoading);
  if (run.tokenizer.component != nullptr) {
    OptionTable chosen;
    run.tokenizer.options->describe(chosen);
    run.model.tokenizer = run.tokenizer.name;
    run.model.tokenizer_options = to_json(chosen);
  }
  TranslationSettings settings;
  settings.precision = run.model.precision;
  settings.need_attention = run.options.format.print_alignment != PrintAlignment::kNone ||
                            !run.options.replace_unk.empty();
  settings.seed = static_cast<uint64_t>(run.options.seed);
  settings.max_sentences = run.options.batches.batch_size;
  const bool unlimited = run.options.batches.max_tokens == 0 && run.options.batches.batch_size == 0;
  settings.max_tokens = unlimited ? kBatchTokens : run.options.batches.max_tokens;
  settings.workers = workers;
  auto models = load_models(run.loaded->registry, run.model, run.options.data);
  require_trees(models, run.options);
  settings.shortlist = run.shortlist.read(models.front().task->source_dictionary(),
                                          models.front().task->target_dictionary());
  if (settings.need_attention)
    require_sources(models);
  Translator engine(std::move(models), run.decoder, settings);
  if (run.options.lm_weight != 0)
    engine.fuse_with(load_language_model(run), run.options.lm_weight);
  return engine;
}

/// How the decoder takes lexical constraints; kNone for decoders without this option.
ConstraintOrder constraint_order(GenerateRun& run) {
  ConstraintOrder order = ConstraintOrder::kNone;
  const OptionField* field = run.table.find("constraints");
  if (field == nullptr)
    return order;
  for (const auto& known : kConstraintOrderNames) {
    if (known.name == field->to_text())
      order = known.value;
  }
  return order;
}

std::unique_ptr<SentenceSource> open_source(GenerateRun& run, const Translator& engine) {
  const GenerateOptions& options = run.options;
  if (!options.data.empty())
    return open_split(engine.model(), options.data, options.gen_subset);
  LineReaderOptions reading;
  reading.on_bad_line = options.on_bad_line;
  TextFiles files{options.input, {}, options.trees};
  files.with_constraints = constraint_order(run) != ConstraintOrder::kNone;
  files.keep_text = !options.replace_unk.empty();
  return std::make_unique<TextSource>(
      engine.task(), files, reading, engine.max_source_tokens(), options.truncate_source);
}

/// What the last lines of the log say: how much was translated, how fast, how well.
class Report {
 public:
  using Clock = std::chrono::steady_clock;

  Report(PostProcess remove_bpe, ConstraintOrder order, const Task& task)
      : remove_bpe_(remove_bpe), order_(order), scored_text_(task) {}

  void add(const std::vector<Translation>& translations, const Task& task, Clock::duration time) {
    seconds_ += std::chrono::duration<double>(time).count();
    for (const Translation& translation : translations) {
      const Hypothesis& best = translation.hypotheses.front();
      ++sentences_;
      note_constraints(translation);
      tokens_ += static_cast<int64_t>(best.tokens.size());
      const std::string text = hypothesis_text(task, translation.example, best, remove_bpe_);
      repeated_.note(translation.example.source, text);
      if (translation.example.target.empty())
        continue;
      hypotheses_.push_back(scored_text_.hypothesis(text));
      references_.push_back(
          scored_text_.reference(reference_text(task, translation.example, remove_bpe_)));
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

  void warn_of_unmet_constraints() const {
    if (unmet_ > 0) {
      log_warning(fmt::format(
          "{} of {} sentences with constraints have a translation that does not meet them all "
          "within the maximum length (--max-len-a, --max-len-b); a larger --beam finds more",
          unmet_,
          constrained_));
    }
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
  void note_constraints(const Translation& translation) {
    const LexicalConstraints constraints = constraints_of(translation.example);
    if (constraints.empty())
      return;
    const auto state = lexical_state(constraints, order_);
    for (const int64_t token : translation.hypotheses.front().tokens) {
      if (token != kEos)
        state->advance(token);
    }
    ++constrained_;
    unmet_ += state->finished() ? 0 : 1;
  }

  PostProcess remove_bpe_;
  ConstraintOrder order_;
  ScoredText scored_text_;
  int64_t constrained_ = 0;
  int64_t unmet_ = 0;
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

/// What happens to translations before they are written.
class Finishing {
 public:
  Finishing(GenerateRun& run, const WorkerSettings& workers) : run_(run), workers_(workers) {
    const GenerateOptions& options = run.options;
    if (!options.replace_unk.empty() && options.replace_unk != kCopySource)
      unknown_words_ = UnknownWords::read(options.replace_unk);
    if (!options.mbr.empty())
      utility_ = run.loaded->registry.select(Metric::kKind, options.mbr);
  }

  void apply(std::vector<Translation>& translations, const Task& task) const {
    const GenerateOptions& options = run_.options;
    if (!options.replace_unk.empty()) {
      for (Translation& translation : translations) replace_unknowns(translation, task);
    }
    if (utility_.component == nullptr)
      return;
    const NamedMetric metric(utility_, {task.target_language(), /*sentence_level=*/true});
    choose_by_mbr(
        translations, task, metric, options.mbr_weights, options.format.post_process, workers_);
  }

 private:
  void replace_unknowns(Translation& translation, const Task& task) const {
    for (Hypothesis& hypothesis : translation.hypotheses) {
      hypothesis.unknown_words = unknown_words_.replacements(task, translation.example, hypothesis);
    }
  }

  GenerateRun& run_;
  WorkerSettings workers_;
  UnknownWords unknown_words_;
  Selection utility_;
};

}  // namespace

GenerateRun::GenerateRun(std::span<const std::string> arguments, bool line_by_line)
    : loaded(load_plugins_for(arguments)), options(line_by_line) {
  options.describe(table);
  model.describe(table);
  table.find("source-lang")->short_flag("s");
  table.find("target-lang")->short_flag("t");
  shortlist.describe(table);
  decoder = loaded->registry.select("decoder", decoder_name(arguments, options));
  table.section(fmt::format("decoder {}", decoder.name));
  decoder.options->describe(table);
  if (const std::string name = peek_option(arguments, "scoring", ""); !name.empty()) {
    metric = loaded->registry.select(Metric::kKind, name);
    phraseq::describe(table, metric);
  }
  describe_tokenizer(arguments);
}

void GenerateRun::describe_tokenizer(std::span<const std::string> arguments) {
  std::string name = peek_option(arguments, "tokenizer", "");
  if (name.empty() && peek_option(arguments, "bpe", "none") != "none")
    name = "bpe";
  if (name == "space")
    name = "word";
  if (name.empty())
    return;
  tokenizer = loaded->registry.select(Tokenizer::kKind, name);
  table.section(fmt::format("tokenizer {}", name));
  tokenizer.options->describe(table);
}

std::vector<std::string> GenerateRun::problems() {
  std::vector<std::string> problems = options.problems();
  for (auto& problem : decoder.options->problems()) problems.push_back(std::move(problem));
  const OptionField* nbest = table.find("nbest");
  if (options.output_format() == OutputFormat::kPlain && nbest != nullptr && options.mbr.empty() &&
      nbest->to_text() != "1") {
    problems.emplace_back(
        "plain text has one line per sentence: use --nbest with --format fairseq or jsonl");
  }
  if (tokenizer.component != nullptr) {
    for (auto& problem : tokenizer.options->problems()) problems.push_back(std::move(problem));
  }
  if (options.lm_weight != 0 && options.lm_path.empty())
    problems.emplace_back("--lm-weight is the weight of a language model: give it with --lm-path");
  if (!options.mbr.empty() && (nbest == nullptr || nbest->to_text() == "1"))
    problems.emplace_back("--mbr chooses among several hypotheses: use it with --nbest N");
  if (!options.data.empty() && constraint_order(*this) != ConstraintOrder::kNone) {
    problems.emplace_back(
        "--constraints reads the constraints from lines of text, and DATA has none: use --input");
  }
  if (!options.trees.empty() && constraint_order(*this) != ConstraintOrder::kNone)
    problems.emplace_back("--constraints and --trees cannot be combined");
  return problems;
}

namespace {

/// The sentences of one buffer; empty at the end.
std::vector<Example> read(SentenceSource& source, int64_t count) {
  const WorkSpan span(Work::kText);
  return source.take(count);
}

/// --score-reference
std::vector<Translation> score_references(const Translator& engine,
                                          std::vector<Example> examples,
                                          const GenerateOptions& options) {
  for (const Example& example : examples) {
    if (example.target.empty()) {
      throw DataError(fmt::format("--score-reference: the split '{}' of {} has no references",
                                  options.gen_subset,
                                  options.data),
                      "preprocess the text of both languages, without --only-source");
    }
  }
  const WorkSpan span(Work::kSearch);
  return engine.score(std::move(examples));
}

std::vector<Translation> results_for(std::vector<Example> examples,
                                     Translator& engine,
                                     const GenerateOptions& options) {
  return options.score_reference ? score_references(engine, std::move(examples), options)
                                 : engine.translate(std::move(examples));
}

void write(const std::vector<Translation>& translations,
           const GenerateRun& run,
           const Task& task,
           ResultOutput& output) {
  const WorkSpan span(Work::kText);
  for (const Translation& translation : translations)
    output.write(translation_text(translation, task, run.options.format));
}

/// Translates the whole source, a buffer at a time.
Report translate_all(GenerateRun& run,
                     const WorkerSettings& workers,
                     SentenceSource& source,
                     Translator& engine,
                     ResultOutput& output) {
  const Finishing finishing(run, workers);
  Report report(run.options.format.post_process, constraint_order(run), engine.task());
  bool is_read = true;
  while (is_read) {
    auto examples = read(source, run.options.buffer_size);
    if (examples.empty())
      break;
    const auto start = Report::Clock::now();
    auto translations = results_for(std::move(examples), engine, run.options);
    finishing.apply(translations, engine.task());
    report.add(translations, engine.task(), Report::Clock::now() - start);
    if (!run.options.quiet)
      write(translations, run, engine.task(), output);
    is_read = output.flush();
  }
  return report;
}

/// The score is a result where fairseq's is, or where there is no other result.
void conclude(
    GenerateRun& run, const Report& report, bool is_whole, const Task& task, ResultOutput& output) {
  log_info(report.speed());
  if (!run.options.score_reference)
    report.warn_of_repeated_hypotheses();
  report.warn_of_unmet_constraints();
  if (!report.has_references() || !is_whole)
    return;
  const std::string score = evaluation_text(run, report, task);
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
  at::set_num_threads(static_cast<int>(workers.threads));
  // First: a bad place is found before the work.
  ResultOutput output(shards.output(run.options.output));
  Translator engine = make_engine(run, workers);
  const auto source = open_source(run, engine);
  source->take_only(shards.shard());
  if (!run.options.lm_path.empty() && run.options.lm_weight == 0)
    log_warning("--lm-path has no effect: --lm-weight is 0");
  const Report report = translate_all(run, workers, *source, engine, output);
  conclude(run, report, shards.shard().is_all(), engine.task(), output);
  shards.seal(output, *source, run.options.format.format, run.table, run.model);
  output.commit();
  if (run.options.profile)
    fmt::print(stderr, "{}", work_profile_text(work_profile()));
  return kExitOk;
}

}  // namespace phraseq
