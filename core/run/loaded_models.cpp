#include "core/run/loaded_models.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "core/analysis/attention_heads.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/path_list.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/derived/quantize.h"
#include "core/corpus/data_folder.h"
#include "core/data/multilingual/directions.h"
#include "core/data/source_trees.h"
#include "core/io/atomic_file.h"
#include "core/nn/packed/packed_weights.h"
#include "core/translate/ensemble.h"

namespace phraseq {

void move_to(TranslationModel& model, at::Device device, nn::Precision precision) {
  if (device.is_cpu())
    return;
  model.model->to(device);
  model.parameters = std::make_unique<nn::FlatParameters>(*model.model, /*with_gradients=*/false);
  model.parameters->refresh_copy(precision);
}

namespace {

nn::Quantization quantization_of(const CheckpointFile& file, const ModelOptions& options) {
  if (options.quantization == nn::QuantizationChoice::kBf16)
    return nn::Quantization::kBf16;
  const bool wanted = options.quantization == nn::QuantizationChoice::kInt8 ||
                      (options.quantization == nn::QuantizationChoice::kAuto &&
                       is_quantized_to_int8(file) && options.precision == nn::Precision::kFp32);
  return wanted ? nn::Quantization::kInt8 : nn::Quantization::kNone;
}

LoadOptions load_options(const ModelOptions& options, const std::string& data) {
  LoadOptions load;
  load.precision = options.precision;
  load.overrides = options.model_overrides;
  load.data = data;
  load.phrase_table = options.phrase_table;
  options.direction.choose(load);
  load.skip_self_test = options.skip_self_test;
  load.tokenizer = options.tokenizer;
  load.tokenizer_options = options.tokenizer_options;
  return load;
}

void reject_contradictions(const ModelOptions& options, const std::string& data) {
  if (!data.empty() && !options.phrase_table.empty()) {
    throw UsageError("--phrase-table is for lines of text; DATA has its own phrases",
                     "Preprocess the data with that table, or translate the raw text.");
  }
  const bool is_narrow = options.quantization == nn::QuantizationChoice::kInt8 ||
                         options.quantization == nn::QuantizationChoice::kBf16;
  if (is_narrow &&
      (options.precision != nn::Precision::kFp32 || !options.device.chosen().is_cpu())) {
    throw UsageError("--quantization int8 and bf16 need --precision fp32 and the CPU",
                     "Do not use --quantization, or use --precision fp32 --device cpu.");
  }
}

std::vector<analysis::HeadName> masked_heads(const ModelOptions& options) {
  std::vector<analysis::HeadName> heads;
  for (const std::string& name : options.mask_heads)
    heads.push_back(analysis::parse_head_name(name));
  return heads;
}

void move_and_pack(TranslationModel& model,
                   const CheckpointFile& file,
                   const ModelOptions& options) {
  move_to(model, options.device.chosen(), options.precision);
  if (options.device.chosen().is_cpu())
    nn::pack_weights(model.parameters->values(), quantization_of(file, options));
}

/// Whether a file with this name in a data folder belongs to the data.
bool is_name_in_data_folder(const std::string& name) {
  return name == kDataManifest || name.starts_with("dict.") || name.ends_with(".idx") ||
         name.ends_with(".bin");
}

}  // namespace

std::vector<std::string> model_paths(const std::string& path) {
  std::vector<std::string> paths = listed_paths(path);
  std::erase(paths, "");
  return paths;
}

void reject_ensemble(const std::string& path, const std::string& command, const std::string& hint) {
  if (model_paths(path).size() <= 1)
    return;
  throw UsageError(
      fmt::format("--path: give one checkpoint, {} does not support ensembles", command), hint);
}

void check_not_read(const std::string& output,
                    const ModelOptions& options,
                    const std::string& data) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(output, missing))
    return;
  check_not_a_pointer(output);
  for (const std::string& path : model_paths(options.path))
    check_not_an_input(output, {resolve_checkpoint(path)});
  const std::string name = std::filesystem::path(output).filename().string();
  if (!data.empty() && is_name_in_data_folder(name))
    check_not_an_input(output, {data + "/" + name});
}

std::vector<TranslationModel> load_models(const Registry& registry,
                                          const ModelOptions& options,
                                          const std::string& data) {
  LoadOptions load = load_options(options, data);
  reject_contradictions(options, data);
  options.device.apply();
  const auto heads = masked_heads(options);
  std::vector<TranslationModel> models;
  for (const std::string& path : model_paths(options.path)) {
    const std::string checkpoint = resolve_checkpoint(path);
    const CheckpointFile file = CheckpointFile::open(checkpoint, /*verify_tensors=*/false);
    models.push_back(TranslationModel::load(registry, checkpoint, load));
    if (models.size() > 1)
      require_same_dictionaries(models.front(), models.back());
    if (models.size() == 1 && data.empty())
      require_direction(*models.back().task, checkpoint);
    if (!heads.empty())
      switch_off_heads(models.back(), heads, options.precision);
    move_and_pack(models.back(), file, options);
    load.data.clear();  // the first model's task reads the data
  }
  if (models.empty())
    throw UsageError("--path contains no checkpoint");
  return models;
}

void warn_of_unused_trees(const std::vector<TranslationModel>& models, const std::string& trees) {
  const auto uses_trees = [](const TranslationModel& model) {
    return tree_use_of(*model.architecture_selection.options) != nullptr;
  };
  if (!trees.empty() && std::none_of(models.begin(), models.end(), uses_trees))
    log_warning("--trees has no effect: the model does not use parse trees");
}

}  // namespace phraseq
