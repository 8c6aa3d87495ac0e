#include "core/train/micro_batches/training_pass.h"

namespace phraseq {

LossReport training_pass(const ModelInstance& instance,
                         const Batch& batch,
                         const PassSettings& settings,
                         uint64_t dropout_seed) {
  const ForwardPass model = [&instance](const Batch& input, nn::Context& context) {
    return instance.translation_model->forward(input, context);
  };
  const nn::FlatParameters& parameters = *instance.translation_model->parameters;
  const Batch on_device = batch.to(parameters.values().device());
  nn::Context context(/*training=*/true, settings.precision, dropout_seed, &parameters);
  context.begin_update(settings.finished_updates);
  context.scale_loss(settings.loss_scale.value_or(1.0));
  context.recompute_layers(settings.checkpoint_activations);
  LossReport report = instance.criterion->loss_of_model(model, on_device, context);
  (settings.loss_scale ? report.loss * *settings.loss_scale : report.loss).backward();
  report.loss = at::Tensor();  // frees its graph
  return report;
}

}  // namespace phraseq
