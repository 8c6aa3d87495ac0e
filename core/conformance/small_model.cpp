#include "core/conformance/small_model.h"

#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/sin.h>

#include "core/base/error.h"
#include "core/conformance/toy_task.h"
#include "core/options/option_text.h"
#include "core/train/token_loss.h"

namespace phraseq::conformance {
namespace {

constexpr int64_t kSourceWords = 8;
constexpr int64_t kTargetWords = 10;

Selection copy_of(const Selection& selection) {
  Selection copy{selection.component, selection.name, selection.component->make_options()};
  OptionTable from, to;
  selection.options->describe(from);
  copy.options->describe(to);
  from_json(to, to_json(from), OptionOrigin::kCommandLine);
  return copy;
}

Translator make_translator(const Registry& registry,
                           const Selection& architecture,
                           int64_t source_words) {
  Translator translator;
  translator.task_selection = registry.select(Task::kKind, kToyTask);
  auto& options = dynamic_cast<ToyTaskOptions&>(*translator.task_selection.options);
  options.source_words = source_words;
  options.target_words = kTargetWords;
  translator.architecture_selection = copy_of(architecture);
  TaskSetup setup;
  setup.registry = &registry;
  translator.task = create<Task>(translator.task_selection, setup);
  translator.build_model();
  return translator;
}

}  // namespace

SmallModel::SmallModel(const Registry& registry,
                       const Selection& selection,
                       nn::Precision precision,
                       uint64_t seed)
    : precision_(precision) {
  try {
    translator_ = make_translator(registry, selection, kSourceWords);
  } catch (const UsageError&) {
    translator_ = make_translator(registry, selection, kTargetWords);
  }
  model().initialise(seed);
  if (precision == nn::Precision::kFp64)
    model().to(at::kDouble);
  translator_.parameters = std::make_unique<nn::FlatParameters>(model(), /*with_gradients=*/true);
  if (precision == nn::Precision::kBf16)
    flat().refresh_bf16();
}

void SmallModel::disturb() {
  const at::NoGradGuard no_gradients;
  const at::Tensor element = at::arange(1, flat().values().numel() + 1, flat().values().options());
  flat().values().add_(at::sin(element * 0.61), 0.2);
}

Batch SmallModel::batch(const std::vector<Example>& examples) const {
  return translator_.task->collate(examples);
}

nn::Context SmallModel::context(bool training, uint64_t seed) const {
  return {training, precision_, seed, translator_.parameters.get()};
}

at::Tensor SmallModel::logits(const std::vector<Example>& examples) const {
  const at::NoGradGuard no_gradients;
  nn::Context pass = context();
  return model().forward(batch(examples), pass).logits(pass);
}

std::vector<double> SmallModel::log_probabilities(const std::vector<Example>& examples) const {
  const at::NoGradGuard no_gradients;
  nn::Context pass = context();
  const Batch made = batch(examples);
  const at::Tensor scores =
      token_log_probabilities(model().forward(made, pass), made, pass).to(at::kDouble).contiguous();
  return {scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel()};
}

at::Tensor SmallModel::training_loss(const std::vector<Example>& examples, uint64_t seed) const {
  TokenLossOptions smoothed;
  smoothed.epsilon = 0.1;
  nn::Context pass = context(/*training=*/true, seed);
  const Batch made = batch(examples);
  return token_loss(model().forward(made, pass), made, smoothed, pass).loss;
}

std::string first_difference(const nn::FlatParameters& a, const nn::FlatParameters& b) {
  for (size_t i = 0; i < a.entries().size(); ++i) {
    if (!at::equal(a.entries()[i].parameter, b.entries()[i].parameter))
      return a.entries()[i].name;
  }
  return {};
}

Example toy_example(int64_t id, std::vector<int64_t> source, std::vector<int64_t> target) {
  Example example{id, std::move(source), std::move(target), {}};
  const auto words = static_cast<int64_t>(example.source.size()) - 1;  // but </s>
  auto& tree = example.extras[kTreeExtra];  // as SubwordTree::encode writes it
  if (words > 0) {
    tree.assign(static_cast<size_t>(words) + 1, 2);
    tree.front() = 2 * words + 1;
  }
  return example;
}

std::vector<Example> toy_examples() {
  return {toy_example(0, {4, 9, 5, 6, 10, kEos}, {5, 4, 6, kEos}),
          toy_example(1, {7, kEos}, {8, 9, 4, 10, 6, kEos}),
          toy_example(2, {6, 6, 8, kEos}, {7, kEos})};
}

}  // namespace phraseq::conformance
