#include "core/convert/export_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/checkpoint/safetensors/plain_file.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/convert/position_table.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// No sinusoids of more positions are stored.
constexpr int64_t kMaxPositions = 8192;
constexpr float kForbiddenScore = -1e9F;
constexpr const char* kSsruTransformer = "ssru_transformer";

/// The defaults of the architecture's options (core/nn/transformer/transformer_options.h).
json default_options() {
  return with_fairseq_conventions({{"encoder_embed_dim", 512},
                                   {"encoder_ffn_embed_dim", 2048},
                                   {"encoder_layers", 6},
                                   {"encoder_attention_heads", 8},
                                   {"encoder_layers_to_keep", ""},
                                   {"encoder_normalize_before", false},
                                   {"decoder_embed_dim", 512},
                                   {"decoder_ffn_embed_dim", 2048},
                                   {"decoder_layers", 6},
                                   {"decoder_attention_heads", 8},
                                   {"decoder_layers_to_keep", ""},
                                   {"decoder_normalize_before", false},
                                   {"share_all_embeddings", false},
                                   {"share_decoder_input_output_embed", false},
                                   {"no_scale_embedding", false},
                                   {"activation_fn", "relu"},
                                   {"pos", "fairseq"}});
}

/// Where those of `ssru_transformer` differ (plugins/architectures/ssru_transformer/options.cpp).
json ssru_defaults() {
  return {{"pos", "tensor2tensor"},
          {"norm_eps", 1e-6},
          {"out_bias", true},
          {"start_token", "bos"},
          {"ssru_projection", false}};
}

/// Most formats map each symbol to one id.
void add_repeated_symbols(const Dictionary& dictionary, std::vector<std::string>& problems) {
  for (int64_t id = 0; id < dictionary.size(); ++id) {
    const std::string& symbol = dictionary.symbol(id);
    if (dictionary.id(symbol) != id)
      problems.push_back(
          fmt::format("the symbol '{}' with the ids {} and {}", symbol, id, dictionary.id(symbol)));
  }
}

/// Takes over a value of the type that the default has.
void take_option(json& options, const std::string& name, const JsonEntry& given) {
  json& option = options[name];
  if (option.is_boolean()) {
    option = given.truth();
  } else if (option.is_number_integer()) {
    option = given.whole_number(0, int64_t{1} << 32);
  } else if (option.is_number()) {
    option = given.number();
  } else {
    option = given.text();
  }
}

/// What the checkpoint records of its component of a kind.
json read_component(const CheckpointFile& file, const char* kind) {
  json record = file.metadata_json(kind);
  JsonEntry(record, file.metadata_place(kind)).at("options").object();
  return record;
}

[[noreturn]] void refuse_component(const CheckpointFile& file,
                                   const char* kind,
                                   const std::string& name,
                                   std::string_view expected) {
  throw UsageError(
      fmt::format("{}: a model with the {} '{}'; only models with the {} '{}' can be exported",
                  file.path(),
                  kind,
                  name,
                  kind,
                  expected));
}

/// Whether a list of layers, which contains none twice, has fewer than there are; an empty one
/// keeps all.
bool leaves_out_layers(const std::string& kept, int64_t layers) {
  return !kept.empty() && std::ssize(split_text(kept, ",")) < layers;
}

/// The exported layers are those that --encoder-layers and --decoder-layers say.
void require_all_layers(const json& options, const std::string& path) {
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string name = stack + "_layers_to_keep";
    const std::string& kept = options[name].get_ref<const std::string&>();
    if (leaves_out_layers(kept, options[stack + "_layers"].get<int64_t>())) {
      throw UsageError(fmt::format(
          "{}: a model with {} = {}; only models with all of their layers can be exported",
          path,
          name,
          kept));
    }
  }
}

std::string name_of_component(const CheckpointFile& file, const char* kind, const json& record) {
  return JsonEntry(record, file.metadata_place(kind)).at("name").text();
}

template <class Values>
void require_finite(const Values& values, const std::string& path, const std::string& parameter) {
  if (!std::ranges::all_of(values, [](auto value) { return std::isfinite(value); })) {
    throw DivergenceError(
        fmt::format("{}: tensor {} contains values that are not finite", path, parameter),
        "Training had diverged; export an earlier checkpoint.");
  }
}

}  // namespace

json default_options_of(const std::string& architecture) {
  json options = default_options();
  if (architecture == kSsruTransformer)
    options.update(ssru_defaults());
  return options;
}

ExportModel ExportModel::open(const std::string& path) {
  ExportModel model(CheckpointFile::open(path));
  require_model(model.file_);
  model.read_options();
  model.read_task();
  return model;
}

void ExportModel::read_options() {
  const json record = read_component(file_, "architecture");
  architecture_ = name_of_component(file_, "architecture", record);
  if (architecture_ != kSsruTransformer)
    require_transformer("");
  options_ = default_options_of(architecture_);
  const JsonEntry given = JsonEntry(record, file_.metadata_place("architecture")).at("options");
  for (const auto& [name, value] : given.members()) {
    if (options_.contains(name))
      take_option(options_, name, value);
  }
  require_all_layers(options_, path());
}

void ExportModel::read_task() {
  const json task = read_component(file_, "task");
  if (const std::string name = name_of_component(file_, "task", task); name != "translation")
    refuse_component(file_, "task", name, "translation");
  const json record = file_.metadata_json("task_texts");
  for (const auto& [name, value] : JsonEntry(record, file_.metadata_place("task_texts")).members())
    texts_[name] = value.text();
  source_ = Dictionary::parse(text("source_dictionary"), "source_dictionary");
  target_ = texts_.contains("joined_dictionary")
                ? source_
                : Dictionary::parse(text("target_dictionary"), "target_dictionary");
}

std::string ExportModel::text(const std::string& name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end())
    throw FormatError(fmt::format("{}: the task has no entry '{}'", path(), name));
  return found->second;
}

/// The blobs of other tokenizers are not SentencePiece models.
std::string ExportModel::sentencepiece(const std::string& name) const {
  if (text("tokenizer") != "sentencepiece")
    return {};
  const TensorView* found = file_.find(std::string(kBlobPrefix) + name);
  if (found == nullptr)
    return {};
  return {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()};
}

std::string ExportModel::target_tokenizer() const {
  const std::string own = sentencepiece("target_tokenizer");
  return own.empty() ? source_tokenizer() : own;
}

std::vector<std::string> ExportModel::text_problems() const {
  std::vector<std::string> found;
  if (text("tokenizer_options").find("\"lowercase\":true") != std::string::npos)
    found.emplace_back("tokenizer option lowercase = yes");
  add_repeated_symbols(source_, found);
  if (!(target_ == source_))
    add_repeated_symbols(target_, found);
  return found;
}

std::vector<float> ExportModel::values(const std::string& parameter,
                                       const std::vector<int64_t>& shape) const {
  const TensorView* tensor = file_.find(parameter);
  if (tensor == nullptr)
    throw FormatError(fmt::format("{}: there is no parameter {}", path(), parameter));
  if (tensor->dtype == DType::kI8) {
    throw UsageError(fmt::format("{}: {} is quantized to int8", path(), parameter),
                     "Export the original checkpoint, before quantization.");
  }
  if (tensor->shape != shape || !is_float(tensor->dtype)) {
    throw FormatError(fmt::format("{}: {} is {} [{}], expected floating-point numbers [{}]",
                                  path(),
                                  parameter,
                                  to_string(tensor->dtype),
                                  fmt::join(tensor->shape, ", "),
                                  fmt::join(shape, ", ")));
  }
  if (tensor->dtype == DType::kF32) {  // the usual type needs no wider numbers
    std::vector<float> values(static_cast<size_t>(tensor->elements()));
    std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
    require_finite(values, path(), parameter);
    return values;
  }
  const auto exact = float_values(*tensor);
  require_finite(exact, path(), parameter);
  return {exact.begin(), exact.end()};
}

int64_t ExportModel::position_count(const std::string& stack) const {
  return size(stack == "encoder" ? "max_source_positions" : "max_target_positions");
}

std::vector<float> ExportModel::positions(const std::string& stack, int64_t count) const {
  const int64_t width = size(stack + "_embed_dim");
  if (choice("pos") == "learned") {
    auto table = values(stack + ".embed_positions.weight",
                        {position_count(stack) + kLearnedPositionOffset, width});
    table.erase(table.begin(), table.begin() + kLearnedPositionOffset * width);
    return table;
  }
  if (count > kMaxPositions) {
    throw UsageError(fmt::format("{}: the {} has {} positions; at most {} can be exported",
                                 path(),
                                 stack,
                                 count,
                                 kMaxPositions));
  }
  const auto table = position_table(choice("pos"), count, width);
  std::vector<float> rows(static_cast<size_t>(count * width), 0.0F);
  std::ranges::copy(table, rows.begin());
  return rows;
}

std::vector<float> ExportModel::output_bias() const {
  std::vector<float> bias;
  if (is_on("out_bias"))
    bias = values("decoder.output_bias", {target_.size()});
  if (is_on("forbid_outputs")) {
    bias.resize(static_cast<size_t>(target_.size()), 0.0F);
    bias[kBos] = bias[kPad] = kForbiddenScore;
  }
  return bias;
}

void ExportModel::require_transformer(std::string_view format) const {
  if (architecture_ == "transformer")
    return;
  if (format.empty())
    refuse_component(file_, "architecture", architecture_, "transformer");
  require_none({fmt::format("the architecture {}", architecture_)}, format);
}

void ExportModel::require_none(const std::vector<std::string>& problems,
                               std::string_view format) const {
  if (problems.empty())
    return;
  throw UsageError(fmt::format(
      "{}: the format {} cannot express\n    {}", path(), format, fmt::join(problems, "\n    ")));
}

}  // namespace phraseq
