// phraseq import: another toolkit's trained model as a checkpoint of ours.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/checkpoint/fairseq/fairseq_weights.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/corpus/data_folder.h"
#include "core/io/atomic_file.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"
#include "core/text/sentencepiece_tokenizer.h"
#include "phraseq/abi_stamp.h"

namespace {

using namespace phraseq;
using nlohmann::json;

enum class Toolkit { kNotGiven, kFairseq };

constexpr EnumName<Toolkit> kToolkitNames[] = {{"fairseq", Toolkit::kFairseq}};

struct ImportOptions final : Options {
  Toolkit toolkit = Toolkit::kNotGiven;
  std::string weights;
  std::string options;
  std::string data;
  std::string output;
  std::string sentencepiece;
  std::string source_lang;
  std::string target_lang;

  void describe(OptionTable& table) override {
    table.field("toolkit", toolkit, kToolkitNames, "Toolkit that trained the model.")
        .positional()
        .required();
    table.field("weights", weights, "Parameters as a safetensors file, with the toolkit's names.")
        .positional()
        .required()
        .value_name("WEIGHTS");
    table.field("options", options, "Options of the model as a JSON object.")
        .positional()
        .required()
        .value_name("OPTIONS");
    table.field("data", data, "Data folder with the dictionaries.")
        .positional()
        .required()
        .value_name("DATA-BIN");
    table.field("output", output, "Checkpoint to write.").required().value_name("FILE");
    table
        .field("sentencepiece",
               sentencepiece,
               "Subword model for both languages, stored in the checkpoint.")
        .value_name("MODEL");
    table
        .field("source-lang",
               source_lang,
               "Source language, if the file names in the data folder do not show it.")
        .short_flag("s")
        .value_name("LANG");
    table
        .field("target-lang",
               target_lang,
               "Target language, if the file names in the data folder do not show it.")
        .short_flag("t")
        .value_name("LANG");
  }
};

/// A component of ours with its options, as a checkpoint records it.
std::string component(const std::string& name, const json& options) {
  return json{
      {"name", name}, {"plugin", name}, {"plugin_version", PHRASEQ_VERSION}, {"options", options}}
      .dump();
}

/// The two vocabularies and how text becomes their symbols, as the task `translation` stores them.
struct Vocabularies {
  std::map<std::string, std::string> texts;
  int64_t source_size = 0;
  int64_t target_size = 0;
  bool joined = false;
};

Vocabularies read_vocabularies(const DataFolder& folder) {
  const Dictionary source = folder.dictionary(folder.source());
  const Dictionary target = folder.dictionary(folder.target());
  Vocabularies result;
  result.source_size = source.size();
  result.target_size = target.size();
  result.joined = source == target;
  result.texts = {{"source_language", folder.source()},
                  {"target_language", folder.target()},
                  {"source_dictionary", source.to_text()}};
  if (result.joined) {
    result.texts["joined_dictionary"] = "yes";
  } else {
    result.texts["target_dictionary"] = target.to_text();
  }
  return result;
}

/// The subword model's bytes, checked to be one; empty without one.
std::string read_subword_model(const std::string& path) {
  if (path.empty())
    return {};
  std::string model = read_file(path);
  const SentencePieceTokenizer check(model, path);
  return model;
}

void import_fairseq(const ImportOptions& options) {
  check_target(options.output);
  const auto weights = CheckpointFile::open(options.weights);
  const json architecture = options_from_fairseq(
      parse_json(read_file(options.options), options.options), options.options);
  const auto folder = DataFolder::open(options.data, options.source_lang, options.target_lang);
  Vocabularies vocabularies = read_vocabularies(folder);
  if (architecture.at("share_all_embeddings") == true && !vocabularies.joined) {
    throw FormatError(fmt::format(
        "{}: the options share all embeddings, but the dictionaries differ", options.data));
  }
  auto tensors = weights_from_fairseq(
      weights, architecture, vocabularies.source_size, vocabularies.target_size);

  const std::string model = read_subword_model(options.sentencepiece);
  vocabularies.texts["tokenizer"] = model.empty() ? folder.tokenizer() : "sentencepiece";
  vocabularies.texts["tokenizer_options"] = "{}";
  if (!model.empty()) {
    tensors.push_back({std::string(kBlobPrefix) + "source_tokenizer",
                       DType::kU8,
                       {static_cast<int64_t>(model.size())},
                       std::as_bytes(std::span(model))});
  }
  const json origin = {
      {"toolkit", "fairseq"}, {"weights", options.weights}, {"options", options.options}};
  write_checkpoint(options.output,
                   {{"architecture", component("transformer", architecture)},
                    {"task", component("translation", json::object())},
                    {"task_texts", json(vocabularies.texts).dump()},
                    {"imported", origin.dump()}},
                   tensors);
  log_info(fmt::format("{}: {} to {}, {} tensors",
                       options.output,
                       folder.source(),
                       folder.target(),
                       tensors.size()));
}

int import(std::span<const std::string> arguments) {
  ImportOptions options;
  OptionTable table;
  options.describe(table);
  if (!begin_command(table,
                     "import",
                     "fairseq WEIGHTS OPTIONS DATA-BIN [--sentencepiece MODEL] --output FILE",
                     "Converts a model trained with another toolkit to a checkpoint.",
                     arguments))
    return kExitOk;
  import_fairseq(options);
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("import", argc, argv, import); }
