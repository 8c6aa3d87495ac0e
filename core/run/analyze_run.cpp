#include "core/run/analyze_run.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/activation.h"
#include "core/analysis/attention_map.h"
#include "core/analysis/attention_page.h"
#include "core/analysis/constituents.h"
#include "core/analysis/recorded_pass.h"
#include "core/analysis/recorded_plot.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/run/head_ablation.h"
#include "core/run/loaded_models.h"
#include "core/run/result_output.h"
#include "core/translate/operator_threads.h"
#include "core/translate/sentence_source.h"
#include "core/translate/workers.h"

namespace phraseq {
namespace {

using analysis::AttentionPlace;
using analysis::AttentionWeights;
using analysis::RecordedSentence;

/// The number of sentences whose passes run at the same time; their results are processed in order.
constexpr int64_t kSentencesAhead = 64;

AttentionPlace chosen_place(const AnalyzeOptions& options) {
  return options.attention.empty() ? AttentionPlace::kCross
                                   : analysis::attention_place(options.attention.front());
}

std::vector<AttentionPlace> chosen_places(const AnalyzeOptions& options) {
  if (options.attention.empty())
    return {AttentionPlace::kCross, AttentionPlace::kEncoderSelf, AttentionPlace::kDecoderSelf};
  std::vector<AttentionPlace> places;
  for (const auto& name : options.attention) places.push_back(analysis::attention_place(name));
  return places;
}

void check_recorded(bool found, AttentionPlace place) {
  if (found)
    return;
  throw DataError(fmt::format("the model recorded no {} attention", to_string(place)),
                  "'phraseq analyze dump' shows what this model records.");
}

/// The number that the value of --layer or --head denotes: `meaning` for `word`, otherwise a number
/// up to `count`.
int64_t number_of(const std::string& text,
                  std::string_view option,
                  std::string_view word,
                  int64_t meaning,
                  int64_t count) {
  if (text == word)
    return meaning;
  const int64_t number = std::stoll(text);
  if (number > count)
    throw UsageError(fmt::format("{} {}: the model has {}", option, number, count));
  return number;
}

std::string attention_svg(const AnalyzeOptions& options, const RecordedSentence& sentence) {
  const AttentionPlace place = chosen_place(options);
  const auto layers = attention_weights(sentence, place);
  check_recorded(!layers.empty(), place);
  const auto count = static_cast<int64_t>(layers.size());
  const auto layer =
      static_cast<size_t>(number_of(options.layer, "--layer", "last", count, count) - 1);
  const int64_t head =
      number_of(options.head, "--head", "mean", analysis::kMeanOfHeads, layers[layer].heads);
  const analysis::AttentionMap map(sentence, layers, options.target_labels);
  return heat_map(map.draw(layers[layer], head)).document();
}

int draw_attention(const AnalyzeOptions& options,
                   const TranslationModel& translation_model,
                   nn::Precision precision) {
  Example example = translation_model.task->encode(options.source, options.target);
  if (!options.trees.empty()) {
    example.extras[kTreeExtra] =
        translation_model.task->encode_tree(options.source, options.trees, TextPlace{"--trees"});
  }
  const RecordedSentence sentence = recorded_pass(translation_model, example, precision);
  std::string result;
  if (options.output.ends_with(".svg")) {
    result = attention_svg(options, sentence);
  } else if (options.output.ends_with(".html")) {
    const auto places = chosen_places(options);
    bool any = false;
    for (const AttentionPlace place : places)
      any = any || !attention_weights(sentence, place).empty();
    check_recorded(any, places.front());
    result = attention_page(sentence, places, options.target_labels);
  } else {
    result = recorded_json(sentence, {".weights"});
  }
  write_file(options.output, result);
  return kExitOk;
}

/// Calls `take` with every pair's recorded pass and the pair, in order; stops if it returns false.
/// Returns the number of pairs.
int64_t for_each_pass(const AnalyzeOptions& options,
                      const TranslationModel& translation_model,
                      const ModelOptions& model,
                      const std::function<bool(const RecordedSentence&, const Example&)>& take) {
  TextSource source(*translation_model.task,
                    TextFiles{options.source, options.target, options.trees},
                    LineReaderOptions{},
                    translation_model.max_source_tokens(),
                    options.truncate_source);
  const nn::Precision precision = model.precision;
  int64_t pairs = 0;
  for (auto examples = source.take(kSentencesAhead); !examples.empty();
       examples = source.take(kSentencesAhead)) {
    std::vector<RecordedSentence> passes(examples.size());
    run_jobs(static_cast<int64_t>(examples.size()),
             model.worker_settings(),
             [&](int64_t number, int64_t) {
               const auto place = static_cast<size_t>(number);
               passes[place] = recorded_pass(translation_model, examples[place], precision);
             });
    for (size_t i = 0; i < passes.size(); ++i) {
      ++pairs;
      if (!take(passes[i], examples[i]))
        return pairs;
    }
  }
  return pairs;
}

/// A plot that accompanies a result: written first, but renamed only when the result is complete.
class PlotFile {
 public:
  void write(const std::string& path, const std::string& document) {
    file_.emplace(path);
    file_->write(document);
    file_->finish();
  }
  bool is_written() const { return file_.has_value(); }
  void commit() {
    if (file_)
      file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
};

/// Draws and prints a table.
template <class Table>
int show(const AnalyzeOptions& options, const Table& table) {
  PlotFile plot;
  if (!options.plot.empty())
    plot.write(options.plot, table.plot().document());
  ResultOutput output(options.output);
  output.write(options.json ? table.json() : table.text());
  output.commit();
  plot.commit();
  return kExitOk;
}

int measure_activation(const AnalyzeOptions& options,
                       const TranslationModel& translation_model,
                       const ModelOptions& model) {
  analysis::ActivationTable table(chosen_place(options), options.stat, options.tau);
  require_sentences(for_each_pass(
      options, translation_model, model, [&](const RecordedSentence& sentence, const Example&) {
        table.add(sentence);
        return true;
      }));
  check_recorded(!table.rows().empty(), chosen_place(options));
  return show(options, table);
}

int count_constituents(const AnalyzeOptions& options,
                       const TranslationModel& translation_model,
                       const ModelOptions& model) {
  analysis::ConstituentTable table(chosen_place(options));
  require_sentences(for_each_pass(options,
                                  translation_model,
                                  model,
                                  [&](const RecordedSentence& sentence, const Example& example) {
                                    table.add(sentence, example.extras.at(kTreeExtra));
                                    return true;
                                  }));
  if (table.sentences() == 0)
    throw DataError("--trees: none of the sentences has a parse tree",
                    "Constituents are counted in sentences with trees.");
  check_recorded(!table.rows().empty(), chosen_place(options));
  return show(options, table);
}

bool records_any(const RecordedSentence& sentence, const std::vector<std::string>& wanted) {
  return std::any_of(sentence.tensors.begin(), sentence.tensors.end(), [&](const auto& tensor) {
    return analysis::is_wanted(tensor.name, wanted);
  });
}

int dump(const AnalyzeOptions& options,
         const TranslationModel& translation_model,
         const ModelOptions& model) {
  ResultOutput output(options.output);
  PlotFile plot;
  bool found = false;
  require_sentences(for_each_pass(
      options, translation_model, model, [&](const RecordedSentence& sentence, const Example&) {
        const bool records = records_any(sentence, options.tensors);
        found = found || records;
        if (records && !options.plot.empty() && !plot.is_written())
          plot.write(options.plot, heat_map(recorded_map(sentence, options.tensors)).document());
        output.write(recorded_json(sentence, options.tensors));
        return output.flush();
      }));
  if (!found && !options.tensors.empty()) {
    throw UsageError(fmt::format("--tensors {}: the model records no tensor with such a name",
                                 fmt::join(options.tensors, " ")),
                     "Without --tensors, phraseq analyze dump shows all names.");
  }
  output.commit();
  plot.commit();
  return kExitOk;
}

}  // namespace

AnalyzeRun::AnalyzeRun(std::span<const std::string> arguments)
    : loaded(load_plugins_for(arguments)) {
  options.describe(table);
  model.takes_ensemble = false;
  model.describe(table);
}

int analyze(AnalyzeRun& run) {
  for (const std::string& result : {run.options.output, run.options.plot}) {
    check_not_read(result, run.model, /*data=*/"");
    check_result_target(result);
  }
  reject_ensemble(run.model.path, "analyze");
  set_operator_threads(run.model.worker_settings().threads);
  if (run.options.mode == AnalyzeMode::kHeads)
    return show(run.options, measure_heads(run.loaded->registry, run.options, run.model));
  const auto models = load_models(run.loaded->registry, run.model, "");
  const TranslationModel& translation_model = models.front();
  switch (run.options.mode) {
    case AnalyzeMode::kAttention:
      return draw_attention(run.options, translation_model, run.model.precision);
    case AnalyzeMode::kActivation:
      return measure_activation(run.options, translation_model, run.model);
    case AnalyzeMode::kConstituents:
      return count_constituents(run.options, translation_model, run.model);
    case AnalyzeMode::kHeads:
    case AnalyzeMode::kDump:
    case AnalyzeMode::kNotGiven:
      break;
  }
  return dump(run.options, translation_model, run.model);
}

}  // namespace phraseq
