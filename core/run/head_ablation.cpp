#include "core/run/head_ablation.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/attention_heads.h"
#include "core/base/error.h"
#include "core/run/loaded_models.h"
#include "core/translate/scoring/score_targets.h"
#include "core/translate/sentence_source.h"

namespace phraseq {
namespace {

/// The number of source or target tokens per batch.
constexpr int64_t kTokensOfBatch = 4096;

std::vector<Example> read_examples(const AnalyzeOptions& options, const TranslationModel& model) {
  TextSource source(*model.task,
                    TextFiles{options.source, options.target, options.trees},
                    LineReaderOptions{},
                    model.max_source_tokens(),
                    options.truncate_source);
  auto examples = source.take(std::numeric_limits<int64_t>::max());
  require_sentences(std::ssize(examples));
  return examples;
}

/// The loss, -log2 p per target token.
double loss_of(const std::vector<TranslationModel>& models,
               const std::vector<Example>& examples,
               const ModelOptions& options) {
  TranslationSettings settings;
  settings.precision = options.precision;
  settings.workers = options.worker_settings();
  settings.max_tokens = kTokensOfBatch;
  double sum = 0;
  size_t tokens = 0;
  for (const Translation& translation : score_targets(models, examples, settings)) {
    const Hypothesis& target = translation.hypotheses.front();
    sum -= target.log_probability;
    tokens += target.token_scores.size();
  }
  return sum / static_cast<double>(tokens) / std::numbers::ln2;
}

bool is_chosen(const std::string& attention, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::any_of(chosen.begin(), chosen.end(), [&](const auto& name) {
           return attention == name || attention == name + "-phrases";
         });
}

/// The modules whose heads are measured; at least one.
std::vector<analysis::HeadsOfModule> chosen_modules(const AnalyzeOptions& options,
                                                    const TranslationModel& model,
                                                    nn::Precision precision) {
  auto modules = analysis::attention_heads(model, precision);
  std::erase_if(modules, [&](const analysis::HeadsOfModule& module) {
    return !is_chosen(module.attention, options.attention);
  });
  if (modules.empty()) {
    throw DataError(fmt::format("the model has no heads of {} attention that can be switched off",
                                fmt::join(options.attention, " or ")),
                    "Without --attention, all heads are measured.");
  }
  return modules;
}

}  // namespace

analysis::HeadTable measure_heads(const Registry& registry,
                                  const AnalyzeOptions& options,
                                  const ModelOptions& model) {
  const auto whole = load_models(registry, model, "");
  const auto modules = chosen_modules(options, whole.front(), model.precision);
  const auto examples = read_examples(options, whole.front());
  analysis::HeadTable table(loss_of(whole, examples, model));
  ModelOptions without = model;
  without.skip_self_test = true;  // it has already passed
  for (const auto& module : modules) {
    std::vector<double> losses;
    for (int64_t head = 1; head <= module.heads(); ++head) {
      without.mask_heads = model.mask_heads;
      without.mask_heads.push_back(analysis::HeadName{module.attention, module.layer, head}.text());
      losses.push_back(loss_of(load_models(registry, without, ""), examples, model));
    }
    table.add(module, losses);
  }
  return table;
}

}  // namespace phraseq
