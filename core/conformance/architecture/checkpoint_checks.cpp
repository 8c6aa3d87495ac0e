#include "core/conformance/architecture/checkpoint_checks.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include "core/checkpoint/checkpoint_writer.h"
#include "core/conformance/fixtures/small_model.h"
#include "core/conformance/fixtures/trial_device.h"
#include "core/optim/optimizers/adam.h"
#include "core/train/train_checkpoint.h"

namespace phraseq::conformance {
namespace {

using nn::Precision;

constexpr uint64_t kFirstUpdates = 2;
constexpr uint64_t kAllUpdates = 4;

/// A small model in training.
struct Run {
  Run(const Registry& registry, const Selection& selection, uint64_t seed)
      : model(registry, selection, Precision::kFp32, seed), adam(AdamOptions(), {&model.flat()}) {}

  void train(uint64_t from, uint64_t to) {
    for (uint64_t update = from; update < to; ++update) {
      model.flat().zero_gradients();
      model.training_loss(toy_examples(), {.seed = static_cast<uint64_t>(update) + 1}).backward();
      adam.step(0.01, 0.1);
    }
  }
  void save(const std::string& path) {
    TrainState state;
    write_train_checkpoint(path, {&model.translation_model(), &adam, &state});
  }

  SmallModel model;
  Adam adam;
};

Findings loaded_to_the_bit(const Registry& registry,
                           const Selection& selection,
                           const std::string& path) {
  const at::NoGradGuard no_gradients;
  SmallModel saved(registry, selection, Precision::kFp32);
  saved.disturb();
  HostTensors tensors;
  saved.translation_model().add_tensors(tensors, {});
  write_checkpoint(path, saved.translation_model().metadata(), tensors.views());

  TranslationModel loaded = TranslationModel::load(registry, path);
  if (!trial_device().is_cpu()) {
    loaded.model->to(trial_device());
    loaded.parameters =
        std::make_unique<nn::FlatParameters>(*loaded.model, /*with_gradients=*/false);
  }
  const std::string other = first_difference(*loaded.parameters, saved.flat());
  if (!other.empty())
    return {fmt::format("{} has other values after loading from a checkpoint", other)};
  nn::Context pass(/*training=*/false, Precision::kFp32, /*seed=*/7, loaded.parameters.get());
  const Batch batch = loaded.collate(toy_examples()).to(trial_device());
  const at::Tensor logits = loaded.model->forward(batch, pass).logits(pass);
  if (at::equal(logits, saved.logits(toy_examples())))
    return {};
  return {
      "the loaded model computes a different result than the saved model, with the same "
      "parameters: everything else that affects the result must be an option or a registered "
      "parameter"};
}

Findings resumed_to_the_bit(const Registry& registry,
                            const Selection& selection,
                            const std::string& path) {
  Run unbroken(registry, selection, 5);
  unbroken.train(0, kFirstUpdates);
  unbroken.save(path);
  unbroken.train(kFirstUpdates, kAllUpdates);

  Run resumed(registry, selection, 6);
  const CheckpointFile file = CheckpointFile::open(path);
  restore_training(file, read_train_record(file), resumed.model.translation_model(), &resumed.adam);
  resumed.train(kFirstUpdates, kAllUpdates);
  if (at::equal(resumed.model.flat().values(), unbroken.model.flat().values()))
    return {};
  return {
      "a stopped and resumed run ends with other parameters than an uninterrupted run: the model "
      "keeps state between updates that is not a parameter"};
}

}  // namespace

std::vector<Check> checkpoint_checks(const Registry& registry,
                                     const Selection& selection,
                                     const std::string& folder) {
  const std::string path = folder + "/checkpoint.safetensors";
  const auto check = [&, path](const char* title, auto&& run) {
    return Check{title,
                 [&registry, &selection, path, run] { return run(registry, selection, path); }};
  };
  return {check("a checkpoint restores the model bit-exactly", loaded_to_the_bit),
          check("a resumed run equals an uninterrupted run bit-exactly", resumed_to_the_bit)};
}

}  // namespace phraseq::conformance
