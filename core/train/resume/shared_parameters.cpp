#include "core/train/resume/shared_parameters.h"

#include <string>

namespace phraseq {
namespace {

void share_optimizer(const TrainerDependencies& dependencies) {
  ProcessGroup& processes = *dependencies.processes;
  if (dependencies.sharded != nullptr) {
    dependencies.sharded->distribute();
  } else {
    for (auto& [name, tensor] : dependencies.optimizer->state()) {
      at::Tensor moments = tensor;
      processes.take_from_first(moments);
    }
  }
  dependencies.optimizer->set_steps(
      std::stoll(processes.text_of_first(std::to_string(dependencies.optimizer->steps()))));
}

}  // namespace

void share_parameters(const TrainerDependencies& dependencies, nn::Precision precision) {
  ProcessGroup& processes = *dependencies.processes;
  if (processes.is_alone())
    return;
  processes.take_from_first(dependencies.translation_model->parameters->values());
  if (dependencies.average != nullptr) {
    at::Tensor average = dependencies.average->other();
    processes.take_from_first(average);
  }
  share_optimizer(dependencies);
  dependencies.translation_model->parameters->refresh_copy(precision);
}

}  // namespace phraseq
