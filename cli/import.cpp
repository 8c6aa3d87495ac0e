// phraseq import: another toolkit's trained model as a phraseq checkpoint.

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/convert/ctranslate2/ct2_import.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/m2m100_import.h"
#include "core/convert/hf/marian_import.h"
#include "core/convert/imported_model.h"
#include "core/convert/joeynmt/joeynmt_import.h"
#include "core/convert/marian/npz_import.h"
#include "core/convert/opennmt/opennmt_import.h"
#include "core/options/enum_name.h"

namespace {

using namespace phraseq;

constexpr const char* kUsage =
    "MODEL OUTPUT [--data DATA-BIN] [--vocabs SOURCE TARGET] [--sentencepiece MODEL]";
constexpr const char* kFormerUsage =
    "Give MODEL and OUTPUT, or fairseq WEIGHTS OPTIONS DATA-BIN --output FILE.";

enum class Toolkit { kAuto, kFairseq, kHuggingFace, kCTranslate2, kMarian, kJoeyNmt, kOpenNmt };

constexpr EnumName<Toolkit> kToolkitNames[] = {{"auto", Toolkit::kAuto},
                                               {"fairseq", Toolkit::kFairseq},
                                               {"hf", Toolkit::kHuggingFace},
                                               {"ctranslate2", Toolkit::kCTranslate2},
                                               {"marian", Toolkit::kMarian},
                                               {"joeynmt", Toolkit::kJoeyNmt},
                                               {"opennmt", Toolkit::kOpenNmt}};

struct ImportOptions final : Options {
  Toolkit toolkit = Toolkit::kAuto;
  std::vector<std::string> files;
  std::string weights;
  std::string options;
  std::string data;
  std::string output;
  std::vector<std::string> vocabs;
  std::string sentencepiece;
  std::string source_lang;
  std::string target_lang;

  void describe(OptionTable& table) override {
    describe_model(table);
    describe_text(table);
  }

  void describe_model(OptionTable& table) {
    table
        .field(
            "files",
            files,
            "The model (a fairseq or OpenNMT-py checkpoint (.pt), a JoeyNMT checkpoint (.ckpt), a "
            "Marian model (.npz), or the folder of a JoeyNMT, Marian, CTranslate2 or Hugging Face "
            "model (MarianMT, M2M-100, NLLB)), and the checkpoint to write. Or: fairseq WEIGHTS "
            "OPTIONS DATA-BIN, for weights and options that were extracted from a checkpoint.")
        .positional()
        .value_name("MODEL");
    table
        .field("toolkit",
               toolkit,
               kToolkitNames,
               "Format of the model; auto: determined from the name of the file or from the files "
               "in the folder.")
        .alias("from");
    table.field("weights", weights, "Parameters as a safetensors file, with the toolkit's names.")
        .value_name("WEIGHTS");
    table
        .field("options",
               options,
               "Options of the model as a JSON object, for parameters in a safetensors file.")
        .value_name("OPTIONS");
    table
        .field("data",
               data,
               "Data folder with the dictionaries. Default: the folder of the checkpoint, or "
               "data-bin in it.")
        .value_name("DATA-BIN");
    table.field("output", output, "Checkpoint to write.").value_name("FILE");
  }

  void describe_text(OptionTable& table) {
    table
        .field("vocabs",
               vocabs,
               "Vocabularies of a Marian (.spm, .yml or text) or JoeyNMT model: source and target, "
               "or one for both. Default: those named in decoder.yml next to the model; "
               "src_vocab.txt and trg_vocab.txt next to the checkpoint.")
        .value_name("FILES");
    table
        .field("sentencepiece",
               sentencepiece,
               "Subword model for both languages, stored in the checkpoint.")
        .value_name("MODEL");
    table
        .field("source-lang",
               source_lang,
               "Source language, if it is recorded neither in the checkpoint nor in the file names "
               "of the data folder.")
        .short_flag("s")
        .value_name("LANG");
    table
        .field("target-lang",
               target_lang,
               "Target language, if it is recorded neither in the checkpoint nor in the file names "
               "of the data folder.")
        .short_flag("t")
        .value_name("LANG");
  }

  std::vector<std::string> problems() const override {
    std::vector<std::string> found;
    if (weights.empty())
      found.emplace_back("the model is missing");
    if (output.empty())
      found.emplace_back("the checkpoint to write is missing");
    return found;
  }

  /// Puts the files without a flag where their place says.
  void sort_files() {
    std::vector<std::string*> places = {&weights, &output};
    if (!files.empty() && files.front() == "fairseq") {
      files.erase(files.begin());
      places = {&weights, &options, &data};
    }
    if (files.size() > places.size())
      throw UsageError(fmt::format("'{}' is one file too many", files[places.size()]),
                       kFormerUsage);
    for (size_t i = 0; i < files.size(); ++i) *places[i] = files[i];
    if (const auto missing = problems(); !missing.empty())
      throw UsageError(missing.front(), kFormerUsage);
    if (places.size() == 3 && (options.empty() || data.empty()))
      throw UsageError("OPTIONS and DATA-BIN are missing", kFormerUsage);
  }
};

namespace fs = std::filesystem;

Toolkit toolkit_of_file(const fs::path& file) {
  if (file.extension() == ".npz")
    return Toolkit::kMarian;
  if (file.extension() == ".ckpt")
    return Toolkit::kJoeyNmt;
  return file.extension() == ".pt" && is_opennmt_checkpoint(file.string()) ? Toolkit::kOpenNmt
                                                                           : Toolkit::kFairseq;
}

Toolkit toolkit_of_folder(const fs::path& folder) {
  if (fs::exists(folder / "model.bin"))
    return Toolkit::kCTranslate2;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const Toolkit of_file = toolkit_of_file(entry.path());
    if (of_file == Toolkit::kMarian || of_file == Toolkit::kJoeyNmt)
      return of_file;
  }
  if (fs::exists(folder / "config.json"))
    return Toolkit::kHuggingFace;
  throw UsageError(
      fmt::format("{}: the folder contains no model: expected config.json (Hugging Face), "
                  "model.bin (CTranslate2), a .npz file (Marian) or a .ckpt file (JoeyNMT)",
                  folder.string()),
      "For a model of fairseq or OpenNMT-py, give its .pt file.");
}

/// What was given, or what the file or the folder looks like.
Toolkit toolkit_of(const ImportOptions& options) {
  if (options.toolkit != Toolkit::kAuto)
    return options.toolkit;
  return fs::is_directory(options.weights) ? toolkit_of_folder(options.weights)
                                           : toolkit_of_file(options.weights);
}

/// An option that a toolkit's models have no use for, where it is given.
void reject_unused(const std::string& value,
                   const char* name,
                   Toolkit toolkit,
                   std::initializer_list<Toolkit> users) {
  if (value.empty() || std::ranges::find(users, toolkit) != users.end())
    return;
  throw UsageError(
      fmt::format("--{} is not used for a model of {}", name, enum_name(kToolkitNames, toolkit)));
}

void check_options(const ImportOptions& options, Toolkit toolkit) {
  using enum Toolkit;
  reject_unused(options.data, "data", toolkit, {kFairseq});
  reject_unused(options.options, "options", toolkit, {kFairseq});
  reject_unused(options.sentencepiece,
                "sentencepiece",
                toolkit,
                {kFairseq, kCTranslate2, kMarian, kJoeyNmt, kOpenNmt});
  reject_unused(options.vocabs.empty() ? std::string() : options.vocabs.front(),
                "vocabs",
                toolkit,
                {kMarian, kJoeyNmt});
}

ImportedModel import_model(const ImportOptions& options) {
  const Toolkit toolkit = toolkit_of(options);
  check_options(options, toolkit);
  if (toolkit == Toolkit::kHuggingFace) {
    const bool is_m2m100 = HfFolder(options.weights).model_type() == "m2m_100";
    return (is_m2m100 ? import_m2m100 : import_marian_mt)(
        options.weights, options.source_lang, options.target_lang);
  }
  if (toolkit == Toolkit::kCTranslate2)
    return import_ctranslate2(
        options.weights, options.source_lang, options.target_lang, options.sentencepiece);
  if (toolkit == Toolkit::kMarian) {
    return import_marian_npz({options.weights,
                              options.vocabs,
                              options.sentencepiece,
                              options.source_lang,
                              options.target_lang});
  }
  if (toolkit == Toolkit::kJoeyNmt) {
    return import_joeynmt({options.weights,
                           options.vocabs,
                           options.sentencepiece,
                           options.source_lang,
                           options.target_lang});
  }
  if (toolkit == Toolkit::kOpenNmt) {
    return import_opennmt(
        {options.weights, options.sentencepiece, options.source_lang, options.target_lang});
  }
  return import_fairseq({options.weights,
                         options.options,
                         options.data,
                         options.sentencepiece,
                         options.source_lang,
                         options.target_lang});
}

/// The files that were given, also those of folders, which the checkpoint must not replace.
std::vector<std::string> given_files(const ImportOptions& options) {
  std::vector<std::string> files = options.vocabs;
  files.insert(files.end(), {options.weights, options.options, options.sentencepiece});
  for (const std::string& folder : {options.weights, options.data}) {
    std::error_code problem;
    for (const auto& file : std::filesystem::directory_iterator(folder, problem))
      files.push_back(file.path().string());
  }
  return files;
}

int import(std::span<const std::string> arguments) {
  ImportOptions options;
  OptionTable table;
  options.describe(table);
  if (!begin_command(table,
                     "import",
                     kUsage,
                     "Converts a model trained with another toolkit to a checkpoint. Nothing in "
                     "the model's files is executed.",
                     arguments))
    return kExitOk;
  options.sort_files();
  check_new_checkpoint(options.output, given_files(options));
  const ImportedModel model = import_model(options);
  model.write(options.output);
  log_info(fmt::format("{}: {} to {}, {} tensors",
                       options.output,
                       model.texts.at("source_language"),
                       model.texts.at("target_language"),
                       model.tensors.size()));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("import", argc, argv, import); }
