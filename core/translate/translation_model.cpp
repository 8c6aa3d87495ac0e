#include "core/translate/translation_model.h"

#include <cstddef>
#include <span>
#include <string>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/derived/training_options.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/data/multilingual/directions.h"
#include "core/data/named_task.h"
#include "core/nn/shape_text.h"
#include "core/options/fairseq/flag_table.h"
#include "core/plugin/component_call.h"
#include "core/translate/parameters/loaded_parameters.h"
#include "core/translate/recorded_components.h"
#include "core/translate/self_test/self_test.h"

namespace phraseq {
namespace {

TaskState read_task_state(const CheckpointFile& file) {
  TaskState state;
  state.place = file.path();
  state.texts = recorded_task_texts(file);
  for (const TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with(kBlobPrefix))
      continue;
    const auto* bytes = reinterpret_cast<const char*>(tensor.bytes.data());
    state.blobs[tensor.name.substr(kBlobPrefix.size())] = std::string(bytes, tensor.bytes.size());
  }
  return state;
}

/// Sets one option from `name=value`. Options of fairseq's training, which its users also give
/// here, are ignored.
void apply_override(const Selection& selection, OptionTable& table, const std::string& entry) {
  const size_t equals = entry.find('=');
  const std::string name = equals == std::string::npos ? "" : entry.substr(0, equals);
  if (OptionField* const field = table.find(name)) {
    field->from_text(entry.substr(equals + 1), OptionOrigin::kCommandLine);
  } else if (fairseq::is_only_of_training(name)) {
    log_warning(
        fmt::format("'{}' in --model-overrides has no effect: it is an option of training", name));
  } else {
    throw UsageError(
        fmt::format("--model-overrides '{}' is not NAME=VALUE with an option of {}",
                    entry,
                    selection.component->name),
        "'phraseq plugins explain' lists the options. A comma begins the next NAME=VALUE; within a "
        "value, write '\\,', or use fairseq's form {'NAME': 'A,B'}.");
  }
}

void apply_overrides(Selection& selection, const std::vector<std::string>& overrides) {
  OptionTable table = described(selection);
  for (const std::string& entry : overrides) apply_override(selection, table, entry);
  const auto problems = problems_of(selection);
  if (!overrides.empty() && !problems.empty()) {
    throw UsageError(fmt::format(
        "--model-overrides {}: {}", fmt::join(overrides, ","), fmt::join(problems, "; ")));
  }
}

constexpr const char* kSentencePiece = "sentencepiece";

/// Replaces the tokenizer, for checkpoints whose training text was prepared by other programs.
void replace_tokenizer(TaskState& state, const LoadOptions& options, const std::string& path) {
  const std::string recorded = state.texts["tokenizer"];
  if (options.tokenizer == kSentencePiece) {  // with a model, which only the checkpoint can have
    if (recorded == kSentencePiece)
      return;
    throw UsageError(
        fmt::format("{}: the checkpoint contains no SentencePiece model", path),
        "Segment the text with spm_encode, and use --remove-bpe sentencepiece. phraseq preprocess "
        "--subword-model FILE and phraseq import --sentencepiece FILE store a model for the "
        "checkpoint.");
  }
  if (recorded != "word") {
    throw UsageError(
        fmt::format("--tokenizer: {} contains the tokenizer '{}' of its training", path, recorded),
        "Do not use --tokenizer and --bpe: text is prepared as for training.");
  }
  state.texts["tokenizer"] = options.tokenizer;
  state.texts["tokenizer_options"] = options.tokenizer_options.dump();
}

bool fits(const DecoderOutput& output, int64_t tokens, int64_t words) {
  const at::Tensor &hidden = output.hidden, &weight = output.output_weight,
                   &bias = output.output_bias;
  return hidden.defined() && hidden.dim() == 2 && hidden.size(0) == tokens && weight.defined() &&
         weight.dim() == 2 && weight.size(0) == words && weight.size(1) == hidden.size(1) &&
         (!bias.defined() || (bias.dim() == 1 && bias.size(0) == words));
}

/// Describes the problem with the shapes of a pass's output; empty if there is none.
std::string fault_of_shape(const DecoderOutput& output, int64_t tokens, int64_t words) {
  if (fits(output, tokens, words))
    return {};
  return fmt::format(
      "expected hidden [{}, model], output_weight [{}, model] and, if there is one, output_bias "
      "[{}]; got {}, {} and {}",
      tokens,
      words,
      words,
      nn::shape_text(output.hidden),
      nn::shape_text(output.output_weight),
      nn::shape_text(output.output_bias));
}

/// Describes the problem with the type of the hidden rows, which are multiplied by a 16-bit matrix
/// if activations have 16 bits; empty if there is none.
std::string fault_of_type(const at::Tensor& hidden, const nn::Context& context) {
  const at::ScalarType type = context.activation_type();
  if (!at::isReducedFloatingType(type) || hidden.scalar_type() == type)
    return {};
  return fmt::format("expected hidden of type {}, the Context's activation_type(); got {}",
                     at::toString(type),
                     at::toString(hidden.scalar_type()));
}

/// The task that the checkpoint records, with the data and the tokenizer of the options.
std::unique_ptr<Task> load_task(const Registry& registry,
                                const Selection& selection,
                                const CheckpointFile& file,
                                const LoadOptions& options) {
  TaskState state = read_task_state(file);
  if (!options.tokenizer.empty())
    replace_tokenizer(state, options, file.path());
  TaskSetup setup;
  setup.registry = &registry;
  setup.state = &state;
  setup.data = options.data;
  setup.phrase_table = options.phrase_table;
  setup.source_language = options.source_language;
  setup.target_language = options.target_language;
  const nlohmann::json training_options =
      options.data.empty() ? nlohmann::json::object() : recorded_training_options(file);
  setup.training_options = &training_options;
  auto task = std::make_unique<NamedTask>(selection, setup);
  check_direction(*task, setup);
  return task;
}

}  // namespace

void TranslationModel::build_model() {
  const ArchitectureSetup setup = task->architecture_setup();
  model = create<Architecture>(architecture_selection, setup);
  target_vocabulary = setup.target_vocabulary;
}

TranslationModel TranslationModel::replica() const {
  TranslationModel other;
  other.architecture_selection.component = architecture_selection.component;
  other.architecture_selection.name = architecture_selection.name;
  other.model = create<Architecture>(architecture_selection, task->architecture_setup());
  other.parameters = std::make_unique<nn::FlatParameters>(*other.model, *parameters);
  other.target_vocabulary = target_vocabulary;
  other.path = path;
  return other;
}

std::unique_ptr<Corpus> TranslationModel::open(const std::string& split, bool training) const {
  return task->open(split, training, model->conventions());
}

Batch TranslationModel::collate(const std::vector<Example>& examples) const {
  return task->collate(examples, model->conventions());
}

int64_t TranslationModel::max_source_tokens() const {
  const SequenceConventions conventions = model->conventions();
  return model->max_source_positions() - (conventions.source_has_bos ? 1 : 0) +
         (conventions.source_has_eos ? 0 : 1);
}

void TranslationModel::check_lengths(const Example& pair) const {
  const auto source = static_cast<int64_t>(pair.source.size());
  const auto target = static_cast<int64_t>(pair.target.size());
  if (source <= max_source_tokens() && target <= model->max_target_positions())
    return;
  throw DataError(fmt::format("sentence pair {} has {} source and {} target tokens, the model "
                              "accepts at most {} and {}",
                              pair.id + 1,
                              source,
                              target,
                              max_source_tokens(),
                              model->max_target_positions()),
                  "Shorten the pair, or leave it out.");
}

TranslationModel TranslationModel::load(const Registry& registry,
                                        const std::string& checkpoint_path,
                                        const LoadOptions& options) {
  const CheckpointFile file = CheckpointFile::open(checkpoint_path);
  require_model(file);
  TranslationModel translation_model;
  translation_model.path = checkpoint_path;
  translation_model.task_selection = recorded_component(registry, file, Task::kKind);
  translation_model.architecture_selection =
      recorded_component(registry, file, Architecture::kKind);
  apply_overrides(translation_model.architecture_selection, options.overrides);
  translation_model.task = load_task(registry, translation_model.task_selection, file, options);
  translation_model.build_model();
  if (options.precision == nn::Precision::kFp64)
    translation_model.model->to(at::kDouble);
  translation_model.parameters = loaded_parameters(
      *translation_model.model, translation_model.architecture_selection, file, options.precision);
  if (!options.skip_self_test && options.overrides.empty())
    verify_self_test(translation_model, file);
  translation_model.parameters->refresh_copy(options.precision);
  return translation_model;
}

DecoderOutput TranslationModel::forward(const Batch& batch, nn::Context& context) const {
  const Component& component = *architecture_selection.component;
  DecoderOutput output =
      call_component(component, "forward", [&] { return model->forward(batch, context); });
  std::string fault = fault_of_shape(output, batch.target_in.tokens(), target_vocabulary);
  if (fault.empty())
    fault = fault_of_type(output.hidden, context);
  if (!fault.empty())
    throw component_failure(component, "forward", fault);
  return output;
}

void TranslationModel::load_parameters(const CheckpointFile& file) {
  fill_parameters(*parameters, architecture_selection, file);
}

std::map<std::string, std::string> TranslationModel::metadata() const {
  return {{"architecture", record_of(architecture_selection).dump()},
          {"task", record_of(task_selection).dump()},
          {"task_texts", nlohmann::json(task->save().texts).dump()}};
}

void TranslationModel::add_tensors(HostTensors& tensors, const TaskState& state) const {
  for (const auto& entry : parameters->entries()) tensors.add(entry.name, entry.parameter);
  for (const auto& [name, bytes] : state.blobs) {
    const auto size = static_cast<int64_t>(bytes.size());
    tensors.add({std::string(kBlobPrefix) + name,
                 DType::kU8,
                 {size},
                 std::as_bytes(std::span(bytes.data(), bytes.size()))});
  }
}

}  // namespace phraseq
