#include "core/run/language_model/eval_lm_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/corpus/data_folder.h"
#include "core/data/blocks/block_corpus.h"
#include "core/data/joined/data_folders.h"
#include "core/data/named_task.h"
#include "core/run/language_model/context_window.h"
#include "core/run/language_model/word_report.h"
#include "core/run/loaded_models.h"
#include "core/run/result_output.h"
#include "core/translate/ensemble.h"
#include "core/translate/operator_threads.h"
#include "core/translate/scoring/score_targets.h"

namespace phraseq {
namespace {

constexpr int64_t kBlocksAtOnce = 2000;

/// "@@" if subwords are to be joined; otherwise empty.
std::string continuation_of(PostProcess remove_bpe) {
  return remove_bpe == PostProcess::kSubwordNmt ? "@@" : "";
}

const BlockSource& blocks_of(const TranslationModel& model) {
  const auto* const source = interface_of<BlockSource>(*model.task);
  if (source != nullptr && !model.model->conventions().reads_source)
    return *source;
  throw UsageError(fmt::format("{}: not a language model, but a model of the task '{}'",
                               model.path,
                               model.task_selection.component->name),
                   "'phraseq validate' computes the loss of translation models.");
}

/// Loads all models. If that fails, first checks whether the model's task is one of language
/// models: a different task may be why the data cannot be read.
std::vector<TranslationModel> load_language_models(const EvalLmRun& run) {
  try {
    return load_models(run.loaded->registry, run.model, run.options.data);
  } catch (const Error&) {
    if (const auto paths = model_paths(run.model.path); !paths.empty()) {
      LoadOptions without_data;
      without_data.skip_self_test = true;
      blocks_of(TranslationModel::load(
          run.loaded->registry, resolve_checkpoint(paths.front()), without_data));
    }
    throw;
  }
}

/// How the text is divided into blocks: according to the options, otherwise as in training. Blocks
/// are smaller if a context is put before each of them.
BlockOptions block_options(const EvalLmOptions& options, const BlockSource& source) {
  BlockOptions blocks = source.block_options();
  if (options.break_mode != BreakMode::kAuto)
    blocks.break_mode = options.break_mode;
  if (options.tokens_per_sample > 0)
    blocks.tokens_per_sample = options.tokens_per_sample;
  if (options.context_window >= blocks.tokens_per_sample) {
    throw UsageError(
        fmt::format("--context-window {} leaves no room in blocks of --tokens-per-sample {}",
                    options.context_window,
                    blocks.tokens_per_sample));
  }
  blocks.tokens_per_sample -= options.context_window;
  return blocks;
}

/// One evaluation, block after block.
class Evaluation {
 public:
  using Clock = std::chrono::steady_clock;

  Evaluation(EvalLmRun& run,
             const std::vector<TranslationModel>& models,
             const BlockOptions& blocks)
      : run_(run),
        models_(models),
        add_bos_token_(blocks.add_bos_token),
        longest_(max_target_positions(models)),
        window_(run.options.context_window,
                std::min(longest_, blocks.tokens_per_sample + run.options.context_window)),
        report_(models.front().task->target_dictionary(), continuation_of(run.options.remove_bpe)) {
    settings_.precision = run.model.precision;
    settings_.max_tokens = run.options.batches.max_tokens;
    settings_.max_sentences = run.options.batches.batch_size;
    settings_.workers = run.model.worker_settings();
  }

  void evaluate(const Corpus& corpus, ResultOutput& output) {
    for (int64_t begin = 0; begin < corpus.size(); begin += kBlocksAtOnce)
      evaluate(corpus, begin, std::min(corpus.size(), begin + kBlocksAtOnce), output);
    if (skipped_ > 0) {
      log_warning(fmt::format(
          "{} of {} blocks were skipped: the model reads at most {} tokens (--tokens-per-sample)",
          skipped_,
          corpus.size(),
          longest_));
    }
    if (run_.options.remove_bpe == PostProcess::kSubwordNmt && !report_.has_joined()) {
      log_warning(
          "no effect: --remove-bpe; no token of the text ends in @@, so loss and perplexity are "
          "those of tokens");
    }
    if (report_.words() == 0) {
      throw DataError(fmt::format("{}: nothing was evaluated", run_.options.data),
                      "Check --gen-subset and --tokens-per-sample.");
    }
    if (!std::isfinite(report_.log_probability())) {
      throw DivergenceError("the loss is not finite",
                            "The model has diverged; use an earlier checkpoint.");
    }
  }

  /// The last lines, as fairseq-eval-lm writes them.
  std::string text() const {
    const double seconds = std::max(seconds_, 1e-9);
    const double loss = report_.loss_base_2();
    std::string lines = fmt::format("Evaluated {} tokens in {:.1f}s ({:.2f} tokens/s)\n",
                                    tokens_,
                                    seconds,
                                    static_cast<double>(tokens_) / seconds);
    if (run_.options.output_word_stats)
      lines += report_.statistics();
    return lines +
           fmt::format("Loss (base 2): {:.4f}, Perplexity: {:.2f}\n", loss, std::exp2(loss));
  }

 private:
  void evaluate(const Corpus& corpus, int64_t begin, int64_t end, ResultOutput& output) {
    std::vector<Example> examples;
    std::vector<int64_t> contexts;
    for (int64_t i = begin; i < end; ++i) {
      if (corpus.target_length(i) > longest_) {
        ++skipped_;
        continue;
      }
      examples.push_back(corpus.get(i));
      contexts.push_back(run_.options.context_window > 0 ? window_.extend(examples.back()) : 0);
    }
    const auto start = Clock::now();
    const auto scored = score_targets(models_, std::move(examples), settings_);
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
    for (size_t i = 0; i < scored.size(); ++i)
      note(scored[i].example.id, scored[i].hypotheses.front(), contexts[i], output);
  }

  /// Records the tokens after the context and after <s>, which is not predicted.
  void note(int64_t id, const Hypothesis& scored, int64_t context, ResultOutput& output) {
    tokens_ += static_cast<int64_t>(scored.tokens.size()) - context;
    const int64_t skipped = context + (add_bos_token_ ? 1 : 0);
    const auto words =
        report_.add({scored.tokens.begin() + skipped, scored.tokens.end()},
                    {scored.token_scores.begin() + skipped, scored.token_scores.end()});
    if (!run_.options.output_word_probs)
      return;
    std::string line = fmt::format("{} ", id);
    for (size_t i = 0; i < words.size(); ++i) {
      line +=
          fmt::format("{}{} [{:2f}]", i > 0 ? "\t" : "", words[i].text, words[i].log_probability);
    }
    output.write(line + '\n');
  }

  EvalLmRun& run_;
  const std::vector<TranslationModel>& models_;
  bool add_bos_token_;
  int64_t longest_;
  ContextWindow window_;
  WordReport report_;
  TranslationSettings settings_;
  int64_t skipped_ = 0;
  int64_t tokens_ = 0;
  double seconds_ = 0;
};

}  // namespace

EvalLmRun::EvalLmRun(std::span<const std::string> arguments) : loaded(load_plugins_for(arguments)) {
  options.describe(table);
  model.translates = false;
  model.describe(table);
}

int evaluate_language_model(EvalLmRun& run) {
  set_operator_threads(run.model.worker_settings().threads);
  ResultOutput output("-");
  const auto models = load_language_models(run);
  for (const TranslationModel& model : models) blocks_of(model);  // none but language models
  const BlockSource& source = blocks_of(models.front());
  const Task& task = *models.front().task;
  if (!task.has_split(run.options.gen_subset)) {
    check_data_folder(data_folders(run.options.data).front());
    throw DataError(fmt::format("{} has no split '{}'", run.options.data, run.options.gen_subset),
                    "Use another split with --gen-subset, or preprocess with --testpref.");
  }
  const BlockOptions blocks = block_options(run.options, source);
  Evaluation evaluation(run, models, blocks);
  evaluation.evaluate(*source.open_blocks(run.options.gen_subset, /*training=*/false, blocks),
                      output);
  output.write(evaluation.text());
  output.commit();
  return kExitOk;
}

}  // namespace phraseq
