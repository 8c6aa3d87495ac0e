#include "core/translate/translation_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/sum.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/data/multilingual/directions.h"
#include "core/data/named_task.h"
#include "core/io/json_reader.h"
#include "core/nn/packed/product_choice.h"
#include "core/nn/parameters/left_out_parameters.h"
#include "core/options/option_text.h"
#include "core/plugin/component_call.h"
#include "core/translate/parameters/mapped_parameters.h"
#include "core/translate/parameters/stored_parameter.h"
#include "core/translate/self_test/self_test.h"

namespace phraseq {
namespace {

/// The record of a component, as far as everything of its kind needs it.
nlohmann::json parse_component(const CheckpointFile& file, const char* key) {
  nlohmann::json record = file.metadata_json(key);
  const JsonEntry entry(record, file.metadata_place(key));
  entry.at("name").text();
  entry.at("options").object();
  for (const char* name : {"plugin", "plugin_version"}) {
    if (entry.has(name))
      entry.at(name).text();
  }
  return record;
}

TaskState read_task_state(const CheckpointFile& file) {
  TaskState state;
  state.texts = recorded_task_texts(file);
  for (const TensorView& tensor : file.tensors()) {
    if (!tensor.name.starts_with(kBlobPrefix))
      continue;
    const auto* bytes = reinterpret_cast<const char*>(tensor.bytes.data());
    state.blobs[tensor.name.substr(kBlobPrefix.size())] = std::string(bytes, tensor.bytes.size());
  }
  return state;
}

void apply_overrides(Selection& selection, const std::vector<std::string>& overrides) {
  OptionTable table;
  selection.options->describe(table);
  for (const std::string& entry : overrides) {
    const size_t equals = entry.find('=');
    OptionField* field =
        equals == std::string::npos ? nullptr : table.find(entry.substr(0, equals));
    if (field == nullptr) {
      throw UsageError(fmt::format("--model-overrides '{}' is not NAME=VALUE with an option of {}",
                                   entry,
                                   selection.component->name));
    }
    field->from_text(entry.substr(equals + 1), OptionOrigin::kCommandLine);
  }
  const auto problems = selection.options->problems();
  if (!overrides.empty() && !problems.empty()) {
    throw UsageError(fmt::format(
        "--model-overrides {}: {}", fmt::join(overrides, ","), fmt::join(problems, "; ")));
  }
}

/// One sum for all parameters costs little; only when it is not finite are they looked at singly.
void check_finite(const nn::FlatParameters& parameters, const std::string& path) {
  if (std::isfinite(at::sum(parameters.values()).item<double>()))
    return;
  for (const auto& entry : parameters.entries()) {
    if (at::isfinite(entry.parameter).all().item<bool>())
      continue;
    throw DivergenceError(
        fmt::format("{}: parameter {} contains values that are not finite", path, entry.name),
        "Training had diverged; use an earlier checkpoint.");
  }
}

/// Every name, type and shape; all mismatches in one FormatError.
void check_parameters(const TranslationModel& translator, const CheckpointFile& file) {
  warn_without_checksums(file);
  std::vector<std::string> problems;
  std::unordered_set<std::string_view> names;
  for (const auto& entry : translator.parameters->entries()) {
    check_parameter(file, entry.name, entry.parameter, problems);
    names.insert(entry.name);
  }
  const auto* const partial =
      dynamic_cast<const nn::LeavesOutParameters*>(translator.architecture_selection.options.get());
  for (const TensorView& tensor : file.tensors()) {
    const bool is_left_out = partial != nullptr && partial->leaves_out(tensor.name);
    if (role_of(tensor.name) == TensorRole::kParameter && !is_left_out &&
        !names.contains(tensor.name))
      problems.push_back(fmt::format("{} is not a parameter of the model", tensor.name));
  }
  if (problems.empty())
    return;
  throw FormatError(fmt::format("{}: the weights do not match the architecture {}:\n  - {}",
                                file.path(),
                                translator.architecture_selection.component->name,
                                fmt::join(problems, "\n  - ")),
                    "no parameter was changed; was the file written with other options?");
}

void copy_parameters(const nn::FlatParameters& parameters, const CheckpointFile& file) {
  for (const auto& entry : parameters.entries()) copy_parameter(file, entry.name, entry.parameter);
}

/// Whether linear maps read their weights once, to pack them. Otherwise weights that are multiplied
/// together shall lie side by side, as FlatParameters puts them.
bool products_pack(nn::Precision precision) {
  constexpr int64_t kManyRows = int64_t{1} << 40;
  return precision == nn::Precision::kFp32 &&
         nn::own_product_pays(kManyRows, nn::Quantization::kNone, nn::kernels::best_level());
}

}  // namespace

nlohmann::json to_json(const Selection& selection) {
  OptionTable table;
  selection.options->describe(table);
  return {{"name", selection.component->name},
          {"plugin", selection.component->plugin},
          {"plugin_version", selection.component->plugin_version},
          {"options", to_json(table)}};
}

Selection selection_from(const Registry& registry,
                         const std::string& kind,
                         const nlohmann::json& record) {
  const auto name = record.at("name").get<std::string>();
  try {
    Selection selection = registry.select(kind, name);
    OptionTable table;
    selection.options->describe(table);
    from_json(table, record.at("options"), OptionOrigin::kCheckpoint);
    if (const auto problems = selection.options->problems(); !problems.empty())
      throw FormatError(fmt::format("recorded options: {}", fmt::join(problems, "; ")));
    return selection;
  } catch (const UsageError& failure) {
    const std::string plugin = record.value("plugin", "?");
    throw PluginError(
        fmt::format(
            "the checkpoint needs the {} '{}' of the plugin '{}' {}, which is not installed",
            kind,
            name,
            plugin,
            record.value("plugin_version", "")),
        fmt::format("Install that plugin, or give its folder with --plugin-dir.\n  {}",
                    failure.what()));
  }
}

namespace {

/// The component of a kind that a checkpoint records; what is wrong with the record names the file.
Selection recorded_component(const Registry& registry,
                             const CheckpointFile& file,
                             const char* kind) {
  const nlohmann::json record = parse_component(file, kind);
  try {
    return selection_from(registry, kind, record);
  } catch (const FormatError& failure) {
    throw FormatError(fmt::format("{}: {}", file.metadata_place(kind), failure.message()),
                      failure.hint());
  }
}

/// Text goes through another tokenizer: for checkpoints whose text was prepared by other programs.
void replace_tokenizer(TaskState& state, const LoadOptions& options, const std::string& path) {
  const std::string recorded = state.texts["tokenizer"];
  if (recorded != "word") {
    throw UsageError(
        fmt::format("--tokenizer: {} contains the tokenizer '{}' of its training", path, recorded),
        "do not use --tokenizer and --bpe: text is prepared as for training");
  }
  state.texts["tokenizer"] = options.tokenizer;
  state.texts["tokenizer_options"] = options.tokenizer_options.dump();
}

}  // namespace

std::map<std::string, std::string> recorded_task_texts(const CheckpointFile& file) {
  std::map<std::string, std::string> texts;
  const nlohmann::json record = file.metadata_json("task_texts");
  for (const auto& [name, text] : JsonEntry(record, file.metadata_place("task_texts")).members())
    texts[name] = text.text();
  return texts;
}

Selection recorded_architecture(const Registry& registry, const CheckpointFile& file) {
  return recorded_component(registry, file, Architecture::kKind);
}

void TranslationModel::build_model() {
  model = create<Architecture>(architecture_selection, task->architecture_setup());
}

TranslationModel TranslationModel::replica() const {
  TranslationModel other;
  other.architecture_selection.component = architecture_selection.component;
  other.architecture_selection.name = architecture_selection.name;
  other.model = create<Architecture>(architecture_selection, task->architecture_setup());
  other.parameters = std::make_unique<nn::FlatParameters>(*other.model, *parameters);
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

namespace {

void require_same_sources(const std::vector<TranslationModel>& models) {
  const SequenceConventions first = models.front().model->conventions();
  for (const TranslationModel& model : models) {
    const SequenceConventions other = model.model->conventions();
    if (other.source_has_bos == first.source_has_bos &&
        other.source_has_eos == first.source_has_eos) {
      continue;
    }
    throw UsageError(
        fmt::format("{} and {} read different sources: one with <s> or </s>, one without",
                    models.front().path,
                    model.path),
        "an ensemble needs models trained with one --source-bos and --source-eos");
  }
}

bool is_equal(const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); }
bool is_equal(const std::vector<int64_t>& a, const std::vector<int64_t>& b) { return a == b; }

/// What `model` wants of a batch goes to what the first model has got.
template <typename Values>
void add_extras(std::map<std::string, Values>& all,
                const std::map<std::string, Values>& own,
                const TranslationModel& first,
                const TranslationModel& model) {
  for (const auto& [name, values] : own) {
    const auto [place, is_new] = all.emplace(name, values);
    if (!is_new && !is_equal(place->second, values)) {
      throw UsageError(
          fmt::format("--path: {} and {} need different '{}' of the same sentences",
                      first.path,
                      model.path,
                      name),
          "the models of an ensemble must prepare their batches with the same options");
    }
  }
}

}  // namespace

void require_same_dictionaries(const TranslationModel& first, const TranslationModel& other) {
  if (other.task->source_dictionary() == first.task->source_dictionary() &&
      other.task->target_dictionary() == first.task->target_dictionary())
    return;
  throw UsageError(fmt::format("{} and {} have different dictionaries", first.path, other.path),
                   "the models of an ensemble must be trained on the same preprocessed data");
}

int64_t max_target_positions(const std::vector<TranslationModel>& models) {
  int64_t limit = models.front().model->max_target_positions();
  for (const TranslationModel& model : models)
    limit = std::min(limit, model.model->max_target_positions());
  return limit;
}

Batch collate_for(const std::vector<TranslationModel>& models,
                  const std::vector<Example>& examples) {
  require_same_sources(models);
  Batch batch = models.front().collate(examples);
  for (size_t i = 1; i < models.size(); ++i) {
    const Batch own = models[i].collate(examples);
    add_extras(batch.extras, own.extras, models.front(), models[i]);
    add_extras(batch.host_extras, own.host_extras, models.front(), models[i]);
  }
  return batch.to(models.front().parameters->values().device());
}

namespace {

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
  auto task = std::make_unique<NamedTask>(selection, setup);
  warn_of_other_direction(*task, setup);
  return task;
}

/// Without copying where the model reads the file's numbers as they are.
void fill_parameters(TranslationModel& translator,
                     const CheckpointFile& file,
                     nn::Precision precision) {
  translator.parameters =
      std::make_unique<nn::FlatParameters>(nn::FlatParameters::unset(*translator.model));
  check_parameters(translator, file);
  if (auto mapped = products_pack(precision)
                        ? mapped_parameters(file, *translator.model, *translator.parameters)
                        : nullptr) {
    translator.parameters = std::move(mapped);
  } else {
    copy_parameters(*translator.parameters, file);
  }
  check_finite(*translator.parameters, file.path());
}

}  // namespace

TranslationModel TranslationModel::load(const Registry& registry,
                                        const std::string& checkpoint_path,
                                        const LoadOptions& options) {
  const CheckpointFile file = CheckpointFile::open(checkpoint_path);
  require_model(file);
  TranslationModel translator;
  translator.path = checkpoint_path;
  translator.task_selection = recorded_component(registry, file, Task::kKind);
  translator.architecture_selection = recorded_architecture(registry, file);
  apply_overrides(translator.architecture_selection, options.overrides);
  translator.task = load_task(registry, translator.task_selection, file, options);
  translator.build_model();
  if (options.precision == nn::Precision::kFp64)
    translator.model->to(at::kDouble);
  fill_parameters(translator, file, options.precision);
  if (!options.skip_self_test && options.overrides.empty())
    verify_self_test(translator, file);
  translator.parameters->refresh_copy(options.precision);
  return translator;
}

DecoderOutput TranslationModel::forward(const Batch& batch, nn::Context& context) const {
  return call_component(
      *architecture_selection.component, "forward", [&] { return model->forward(batch, context); });
}

void TranslationModel::load_parameters(const CheckpointFile& file) {
  check_parameters(*this, file);
  copy_parameters(*parameters, file);
  check_finite(*parameters, file.path());
}

std::map<std::string, std::string> TranslationModel::metadata() const {
  return {{"architecture", to_json(architecture_selection).dump()},
          {"task", to_json(task_selection).dump()},
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
