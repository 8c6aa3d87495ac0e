#include "core/convert/opennmt/opennmt_import.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/foreign_vocabulary.h"
#include "core/convert/named_tensors.h"
#include "core/convert/opennmt/opennmt_options.h"
#include "core/convert/parameter_names.h"
#include "core/convert/pickle/pickle_json.h"
#include "core/convert/position_table.h"
#include "core/convert/torch/torch_file.h"
#include "core/convert/vector_values.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kParts = {"model", "generator", "vocab", "opt"};

/// Parts of a parameter's name, and what they are called here.
constexpr std::array<NamePart, 13> kOpenNmtNames = {
    {{"encoder.transformer.", "encoder.layers."},
     {"decoder.transformer_layers.", "decoder.layers."},
     {".embeddings.make_embedding.emb_luts.0.", ".embed_tokens."},
     {".context_attn.", ".encoder_attn."},
     {".linear_keys.", ".k_proj."},
     {".linear_values.", ".v_proj."},
     {".linear_query.", ".q_proj."},
     {".final_linear.", ".out_proj."},
     {".feed_forward.layer_norm.", ".final_layer_norm."},
     {".feed_forward.w_1.", ".fc1."},
     {".feed_forward.w_2.", ".fc2."},
     {".layer_norm_1.", ".self_attn_layer_norm."},
     {".layer_norm_2.", ".encoder_attn_layer_norm."}}};

class OpenNmtImporter {
 public:
  explicit OpenNmtImporter(ForeignModel files) : files_(std::move(files)) {}

  ImportedModel run() {
    open();
    model_.options = options_from_opennmt(
        settings_,
        {has("encoder.layers.0.self_attn.q_proj.bias"), has("encoder.layers.0.fc1.bias")},
        files_.weights);
    take_positions();
    read_vocabularies();
    add_parameters();
    model_.set_sentencepiece_or_words(files_.sentencepiece);
    model_.origin = {{"toolkit", "opennmt"}, {"weights", files_.weights}};
    return std::move(model_);
  }

 private:
  PickleRef part(const char* name) const {
    const PickleGraph& values = file_->values();
    const PickleRef found = values.find(values.root(), name);
    if (found != kNoPickle)
      return found;
    throw FormatError(
        fmt::format("{}: not a checkpoint of OpenNMT-py: it has no '{}'", files_.weights, name),
        "Expected a file that OpenNMT-py 3 wrote with save_format pytorch.");
  }

  void open() {
    file_ = std::make_shared<TorchFile>(TorchFile::open(files_.weights));
    model_.files.push_back(file_);
    weights_ = file_->tensors(part("model"));
    for (TensorView& tensor : weights_) tensor.name = renamed_parameter(tensor.name, kOpenNmtNames);
    generator_ = file_->tensors(part("generator"));
    settings_ = json_of(file_->values(), part("opt"), files_.weights);
    vocabularies_ = json_of(file_->values(), part("vocab"), files_.weights);
  }

  bool has(std::string_view name) const { return find_tensor(weights_, name) != nullptr; }

  /// The table of sinusoids of a stack, [positions, 1, width], which is stored in the file.
  void take_positions() {
    for (const auto& [stack, option] :
         {std::pair("encoder", "max_source_positions"), {"decoder", "max_target_positions"}}) {
      const std::string name = fmt::format("{}.embeddings.make_embedding.pe.pe", stack);
      auto rows = take_tensor(weights_, name);
      if (!rows || rows->shape.size() != 3)
        throw FormatError(
            fmt::format("{}: the table of positions '{}' is missing", files_.weights, name));
      rows->shape.erase(rows->shape.begin() + 1);
      model_.options["pos"] = kind_of_sinusoids(*rows, files_.weights);
      model_.options[option] = rows->shape[0];
    }
  }

  ForeignVocabulary read_vocabulary(const char* side) const {
    const std::string place = fmt::format("{}: the vocabulary '{}'", files_.weights, side);
    const auto symbols = JsonEntry(vocabularies_, files_.weights + ": vocab").at(side).texts();
    const std::array<int64_t, 4> specials = {row_of_symbol(symbols, "<s>"),
                                             row_of_symbol(symbols, "<blank>"),
                                             row_of_symbol(symbols, "</s>"),
                                             row_of_symbol(symbols, "<unk>")};
    if (std::ranges::count(specials, -1) > 0)
      throw FormatError(fmt::format("{}: one of <s>, <blank>, </s> and <unk> is missing", place));
    return order_symbols(symbols, specials, place);
  }

  std::string language(const char* option, const std::string& given) const {
    return given.empty() ? settings_.value(option, std::string()) : given;
  }

  void read_vocabularies() {
    source_ = read_vocabulary("src");
    target_ = read_vocabulary("tgt");
    model_.set_vocabularies(language("src_lang", files_.source_lang),
                            source_.dictionary,
                            language("tgt_lang", files_.target_lang),
                            target_.dictionary);
    const std::string start = vocabularies_.value("decoder_start_token", std::string("<s>"));
    if (start != "<s>" && start != "</s>")
      throw UsageError(fmt::format(
          "{}: decoding starts from '{}', expected <s> or </s>", files_.weights, start));
    model_.options["start_token"] = start == "<s>" ? "bos" : "eos";
  }

  const TensorView& generator(std::string_view name) const {
    const TensorView* found = find_tensor(generator_, name);
    if (found == nullptr)
      throw FormatError(fmt::format("{}: the generator has no '{}'", files_.weights, name));
    return *found;
  }

  void add_parameters() {
    weights_.push_back(generator("weight"));
    weights_.back().name = "decoder.output_projection.weight";
    reorder_matrices(model_, weights_, source_, target_, files_.weights);
    model_.add_parameters(weights_, files_.weights, source_.dictionary, target_.dictionary);
    TensorView bias = generator("bias");
    bias.name = "generator.bias";
    model_.add_output_bias(
        reorder_bias(vector_values(bias, files_.weights), target_, files_.weights));
  }

  ForeignModel files_;
  std::shared_ptr<TorchFile> file_;
  json settings_, vocabularies_;
  ImportedModel model_;
  ForeignVocabulary source_, target_;
  std::vector<TensorView> weights_, generator_;
};

}  // namespace

bool is_opennmt_checkpoint(const std::string& path) {
  try {
    const TorchFile file = TorchFile::open(path);
    const PickleGraph& values = file.values();
    return std::ranges::all_of(
        kParts, [&](const char* name) { return values.find(values.root(), name) != kNoPickle; });
  } catch (const Error&) {
    return false;
  }
}

ImportedModel import_opennmt(const ForeignModel& files) { return OpenNmtImporter(files).run(); }

}  // namespace phraseq
