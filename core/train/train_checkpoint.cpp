#include "core/train/train_checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/derived/quantize.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/io/json_reader.h"
#include "core/translate/self_test/self_test.h"

namespace phraseq {
namespace {

std::string optimizer_tensor(std::string_view name) {
  return std::string(kOptimizerPrefix).append(name);
}

/// The trained parameters beside their moving average.
const std::string kTrained = optimizer_tensor("trained_parameters");

std::vector<std::string> parameter_order(const TranslationModel& translation_model) {
  std::vector<std::string> names;
  for (const auto& entry : translation_model.parameters->entries()) names.push_back(entry.name);
  return names;
}

nlohmann::json train_entry(const CheckpointContents& contents) {
  return {{"state", contents.state->to_json()},
          {"options", contents.options},
          {"position", contents.position},
          {"optimizer_steps", contents.optimizer ? contents.optimizer->steps() : 0},
          {"parameter_order", parameter_order(*contents.translation_model)},
          {"processes", contents.processes},
          {"temporary", contents.is_temporary}};
}

/// Reports tensors of the optimizer in the checkpoint that are missing from `state`, so that the
/// optimizer would continue without them.
void check_missing_state(const CheckpointFile& file,
                         const std::map<std::string, at::Tensor>& state,
                         std::vector<std::string>& problems) {
  const std::string_view prefix = kOptimizerPrefix;
  for (const TensorView& tensor : file.tensors()) {
    if (role_of(tensor.name) == TensorRole::kOptimizer && tensor.name != kTrained &&
        !state.contains(tensor.name.substr(prefix.size())))
      problems.push_back(fmt::format(
          "{} is in the checkpoint, but not in Optimizer::state(), which must contain the same "
          "tensors before the first step as after it",
          tensor.name));
  }
}

std::vector<std::string> order_problems(const TrainRecord& record,
                                        const TranslationModel& translation_model) {
  if (record.parameter_order == parameter_order(translation_model))
    return {};
  return {"the parameters are in a different order"};
}

/// Throws FormatError if there are problems.
void reject(const std::vector<std::string>& problems, const std::string& what, const char* remedy) {
  if (!problems.empty())
    throw FormatError(fmt::format("{}:\n  - {}", what, fmt::join(problems, "\n  - ")), remedy);
}

void check_optimizer(const CheckpointFile& file,
                     const TrainRecord& record,
                     const TranslationModel& translation_model,
                     Optimizer& optimizer) {
  std::vector<std::string> problems = order_problems(record, translation_model);
  const auto state = optimizer.state();
  for (const auto& [name, tensor] : state)
    check_fits(file, optimizer_tensor(name), tensor, problems);
  check_missing_state(file, state, problems);
  reject(problems,
         file.path() + ": the state of the optimizer does not match",
         "Use --reset-optimizer to start with a new state.");
}

/// Throws FormatError if the flat parameters of the checkpoint have a different layout from the
/// model's.
void check_trained(const CheckpointFile& file,
                   const TrainRecord& record,
                   const TranslationModel& translation_model) {
  std::vector<std::string> problems = order_problems(record, translation_model);
  check_fits(file, kTrained, translation_model.parameters->values(), problems);
  reject(problems,
         file.path() + ": the trained parameters do not match the model",
         "--finetune-from-model starts a new run from their moving average.");
}

}  // namespace

void write_train_checkpoint(const std::string& path, const CheckpointContents& contents) {
  auto metadata = contents.translation_model->metadata();
  metadata[kTrainEntry] = train_entry(contents).dump();
  if (const auto test = self_test_record(*contents.translation_model); !test.is_null())
    metadata[kSelfTestEntry] = test.dump();
  const TaskState task_state = contents.translation_model->task->save();
  HostTensors tensors;
  contents.translation_model->add_tensors(tensors, task_state);
  if (contents.optimizer != nullptr) {
    for (const auto& [name, tensor] : contents.optimizer->state())
      tensors.add(optimizer_tensor(name), tensor);
  }
  if (contents.trained.defined())
    tensors.add(kTrained, contents.trained);
  write_checkpoint(path, metadata, tensors.views());
}

TrainRecord read_train_record(const CheckpointFile& file) {
  reject_quantized(file, "to train from");
  if (!file.metadata().contains(kTrainEntry)) {
    throw FormatError(file.path() + ": contains a model, but no training state to resume from",
                      "Use --finetune-from-model to start a new run from its parameters.");
  }
  return parse_train_record(file.metadata(kTrainEntry), file.path());
}

TrainRecord parse_train_record(const std::string& text, const std::string& path) {
  const std::string where = path + ": the metadata entry 'train'";
  try {
    const auto document = parse_json(text, where);
    const JsonEntry entry(document, where);
    return {TrainState::from_json(entry.at("state")),
            entry.at("options").object(),
            entry.at("position").object(),
            entry.at("optimizer_steps").whole_number(0, kMaxUpdates),
            entry.at("parameter_order").texts(),
            entry.has("processes") ? entry.at("processes").whole_number(1, kMaxUpdates) : 1,
            entry.has("temporary") && entry.at("temporary").truth()};
  } catch (const FormatError& problem) {
    throw FormatError(problem.message(),
                      "--finetune-from-model starts a new run from the parameters.");
  }
}

void restore_training(const CheckpointFile& file,
                      const TrainRecord& record,
                      TranslationModel& translation_model,
                      Optimizer* optimizer,
                      ParameterAverage* average) {
  if (optimizer != nullptr)
    check_optimizer(file, record, translation_model, *optimizer);
  const TensorView* trained = file.find(kTrained);
  if (trained != nullptr)
    check_trained(file, record, translation_model);
  translation_model.load_parameters(file);
  if (average != nullptr)
    average->restart();
  if (trained != nullptr)
    copy_into(translation_model.parameters->values(), *trained);
  if (optimizer == nullptr)
    return;
  for (const auto& [name, tensor] : optimizer->state())
    copy_into(tensor, *file.find(optimizer_tensor(name)));
  optimizer->set_steps(record.optimizer_steps);
}

}  // namespace phraseq
