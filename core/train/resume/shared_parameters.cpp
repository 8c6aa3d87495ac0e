#include "core/train/resume/shared_parameters.h"

#include <string>

namespace phraseq {

namespace {

void share_optimizer(const TrainerDependencies& parts) {
  ProcessGroup& processes = *parts.processes;
  if (parts.sharded != nullptr) {
    parts.sharded->distribute();
  } else {
    for (auto& [name, tensor] : parts.optimizer->state()) {
      at::Tensor moments = tensor;
      processes.take_from_first(moments);
    }
  }
  parts.optimizer->set_steps(
      std::stoll(processes.text_of_first(std::to_string(parts.optimizer->steps()))));
}

}  // namespace

void share_parameters(const TrainerDependencies& parts, nn::Precision precision) {
  ProcessGroup& processes = *parts.processes;
  if (processes.is_alone())
    return;
  processes.take_from_first(parts.translation_model->parameters->values());
  if (parts.average != nullptr) {
    at::Tensor average = parts.average->other();
    processes.take_from_first(average);
  }
  share_optimizer(parts);
  parts.translation_model->parameters->refresh_copy(precision);
}

}  // namespace phraseq
