#include "core/convert/joeynmt/joeynmt_import.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/convert/foreign_vocabulary.h"
#include "core/convert/joeynmt/joeynmt_config.h"
#include "core/convert/named_tensors.h"
#include "core/convert/parameter_names.h"
#include "core/convert/position_table.h"
#include "core/convert/torch/torch_file.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/yaml/yaml_reader.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Parts of a parameter's name, and what they are called here.
constexpr std::array<NamePart, 15> kJoeyNames = {
    {{".src_src_att.output_layer.", ".self_attn.out_proj."},
     {".trg_trg_att.output_layer.", ".self_attn.out_proj."},
     {".src_trg_att.output_layer.", ".encoder_attn.out_proj."},
     {".src_src_att.", ".self_attn."},
     {".trg_trg_att.", ".self_attn."},
     {".src_trg_att.", ".encoder_attn."},
     {".k_layer.", ".k_proj."},
     {".v_layer.", ".v_proj."},
     {".q_layer.", ".q_proj."},
     {".feed_forward.layer_norm.", ".final_layer_norm."},
     {".feed_forward.pwff_layer.0.", ".fc1."},
     {".feed_forward.pwff_layer.3.", ".fc2."},
     {".x_layer_norm.", ".self_attn_layer_norm."},
     {".dec_layer_norm.", ".encoder_attn_layer_norm."},
     {"decoder.output_layer.", "decoder.output_projection."}}};

std::string our_name(std::string name) {
  name = renamed_parameter(std::move(name), kJoeyNames);
  if (name == "src_embed.lut.weight")
    return "encoder.embed_tokens.weight";
  return name == "trg_embed.lut.weight" ? "decoder.embed_tokens.weight" : name;
}

class JoeyImporter {
 public:
  explicit JoeyImporter(ForeignModel files) : files_(std::move(files)) {
    folder_ = fs::path(files_.weights).parent_path();
    if (fs::is_directory(files_.weights)) {
      folder_ = files_.weights;
      files_.weights = (folder_ / "best.ckpt").string();
    }
  }

  ImportedModel run() {
    const std::string config_path = (folder_ / "config.yaml").string();
    config_ = parse_yaml(read_file(config_path), config_path);
    read_weights();
    const auto has = [&](const char* name) { return find_tensor(weights_, name) != nullptr; };
    model_.options = options_from_joeynmt(
        config_, {has("encoder.layer_norm.weight"), has("decoder.layer_norm.weight")}, config_path);
    take_positions();
    read_vocabularies(config_path);
    model_.set_sentencepiece_or_words(files_.sentencepiece);
    add_parameters();
    model_.origin = {{"toolkit", "joeynmt"}, {"weights", files_.weights}};
    return std::move(model_);
  }

 private:
  void read_weights() {
    const auto file = std::make_shared<TorchFile>(TorchFile::open(files_.weights));
    model_.files.push_back(file);
    const PickleGraph& values = file->values();
    const PickleRef state = values.find(values.root(), "model_state");
    if (state == kNoPickle) {
      throw FormatError(
          fmt::format("{}: not a checkpoint of JoeyNMT: it has no 'model_state'", files_.weights));
    }
    weights_ = file->tensors(state);
    for (TensorView& tensor : weights_) tensor.name = our_name(tensor.name);
  }

  /// The tables of sinusoids, which are stored in the file.
  void take_positions() {
    for (const auto& [stack, option] :
         {std::pair("encoder", "max_source_positions"), {"decoder", "max_target_positions"}}) {
      const std::string name = fmt::format("{}.pe.pe", stack);
      auto rows = take_tensor(weights_, name);
      if (!rows)
        continue;
      if (rows->shape.size() == 3 && rows->shape[0] == 1)
        rows->shape.erase(rows->shape.begin());
      model_.options["pos"] = kind_of_sinusoids(*rows, files_.weights);
      model_.options[option] = rows->shape[0];
    }
  }

  /// data.src.lang of version 2.x, data.src of 1.x.
  std::string language(const char* side, const std::string& given) const {
    if (!given.empty())
      return given;
    const json data = config_.value("data", json::object());
    const json entry = data.is_object() ? data.value(side, json()) : json();
    const json name = entry.is_object() ? entry.value("lang", json()) : entry;
    return name.is_string() ? name.get<std::string>() : "";
  }

  /// JoeyNMT's special symbols in the order of ours, under the names that the configuration gives.
  std::array<std::string, 4> special_symbols() const {
    const json given = joey_special_symbols(config_);
    const auto symbol = [&](const char* name, const char* fallback) {
      const json value = given.value(name, json());
      return value.is_string() ? value.get<std::string>() : std::string(fallback);
    };
    return {symbol("bos_token", "<s>"),
            symbol("pad_token", "<pad>"),
            symbol("eos_token", "</s>"),
            symbol("unk_token", "<unk>")};
  }

  ForeignVocabulary read_vocabulary(const std::string& path) const {
    const std::string text = read_file(path);
    std::vector<std::string> symbols;
    for (const std::string_view line : split_text(text, "\n")) symbols.emplace_back(line);
    if (symbols.back().empty())
      symbols.pop_back();
    const auto names = special_symbols();
    std::array<int64_t, 4> specials{};
    std::ranges::transform(
        names, specials.begin(), [&](const auto& name) { return row_of_symbol(symbols, name); });
    if (std::ranges::count(specials, -1) > 0)
      throw FormatError(fmt::format("{}: one of {} is missing", path, fmt::join(names, ", ")));
    return order_symbols(symbols, specials, path);
  }

  void read_vocabularies(const std::string& config_path) {
    if (files_.vocabs.empty())
      files_.vocabs = {(folder_ / "src_vocab.txt").string(), (folder_ / "trg_vocab.txt").string()};
    if (files_.vocabs.size() > 2) {
      throw UsageError(
          fmt::format("{}: {} vocabularies, expected two", files_.weights, files_.vocabs.size()),
          "Give --vocabs SOURCE TARGET.");
    }
    source_ = read_vocabulary(files_.vocabs.front());
    target_ = read_vocabulary(files_.vocabs.back());
    model_.set_vocabularies(language("src", files_.source_lang),
                            source_.dictionary,
                            language("trg", files_.target_lang),
                            target_.dictionary);
    if (model_.options.at("share_all_embeddings") == true && !model_.joined())
      throw FormatError(
          fmt::format("{}: tied_embeddings is set, but the vocabularies differ", config_path));
  }

  void add_parameters() {
    reorder_matrices(model_, weights_, source_, target_, files_.weights);
    model_.add_parameters(weights_, files_.weights, source_.dictionary, target_.dictionary);
  }

  ForeignModel files_;
  fs::path folder_;
  json config_;
  ImportedModel model_;
  ForeignVocabulary source_, target_;
  std::vector<TensorView> weights_;
};

}  // namespace

ImportedModel import_joeynmt(const ForeignModel& files) { return JoeyImporter(files).run(); }

}  // namespace phraseq
