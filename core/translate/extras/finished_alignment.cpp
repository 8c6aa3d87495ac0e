#include "core/translate/extras/finished_alignment.h"

#include <algorithm>

#include <ATen/ops/stack.h>
#include <c10/core/InferenceMode.h>

#include "core/plugin/component_call.h"
#include "core/translate/ensemble.h"

namespace phraseq {
namespace {

AlignsTranslations* aligner_of(const TranslationModel& model) {
  return dynamic_cast<AlignsTranslations*>(model.model.get());
}

/// Makes an example for each hypothesis, with the hypothesis as the target.
std::vector<Example> examples_of(const std::vector<Example>& examples,
                                 const std::vector<std::vector<Hypothesis>>& found) {
  std::vector<Example> pairs;
  for (size_t i = 0; i < examples.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      pairs.push_back(examples[i]);
      pairs.back().target = hypothesis.tokens;
      pairs.back().extras.erase(kAlignmentExtra);
    }
  }
  return pairs;
}

/// The mean of the models' alignments, [target tokens, longest source] fp32 on the CPU.
at::Tensor mean_alignment(const std::vector<TranslationModel>& models,
                          const Batch& batch,
                          nn::Precision precision) {
  std::vector<at::Tensor> all;
  for (const TranslationModel& model : models) {
    AlignsTranslations* const aligner = aligner_of(model);
    if (aligner == nullptr)
      continue;
    nn::Context context(/*training=*/false, precision, /*seed=*/0, model.parameters.get());
    all.push_back(call_component(*model.architecture_selection.component, "align", [&] {
      return aligner->align(batch, context).to(at::kFloat);
    }));
  }
  return at::stack(all).mean(0).to(at::kCPU).contiguous();
}

void take_rows(Hypothesis& hypothesis, const at::Tensor& weights, int64_t row, int64_t source) {
  hypothesis.attention.clear();
  for (size_t token = 0; token < hypothesis.tokens.size(); ++token, ++row) {
    const float* begin = weights.const_data_ptr<float>() + row * weights.size(1);
    hypothesis.attention.emplace_back(begin, begin + source);
  }
}

}  // namespace

AlignsTranslations::~AlignsTranslations() = default;

bool any_aligns_translations(const std::vector<TranslationModel>& models) {
  return std::ranges::any_of(
      models, [](const TranslationModel& model) { return aligner_of(model) != nullptr; });
}

void align_finished(const std::vector<TranslationModel>& models,
                    const std::vector<Example>& examples,
                    nn::Precision precision,
                    std::vector<std::vector<Hypothesis>>& found) {
  const c10::InferenceMode guard;
  const Batch batch = collate_for(models, examples_of(examples, found));
  const at::Tensor weights = mean_alignment(models, batch, precision);
  int64_t pair = 0;
  for (auto& hypotheses : found) {
    for (Hypothesis& hypothesis : hypotheses) {
      take_rows(hypothesis,
                weights,
                batch.target_in.offsets[static_cast<size_t>(pair)],
                batch.source.length(pair));
      ++pair;
    }
  }
}

}  // namespace phraseq
