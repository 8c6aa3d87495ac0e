// phraseq import: converts another toolkit's trained model to a phraseq checkpoint.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_report.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/convert/import_model.h"

namespace {

using namespace phraseq;

constexpr const char* kUsage =
    "MODEL OUTPUT [--data DATA-BIN] [--vocabs SOURCE TARGET] [--sentencepiece MODEL]";
constexpr const char* kBothForms =
    "Give MODEL and OUTPUT, or fairseq WEIGHTS OPTIONS DATA-BIN --output FILE.";

struct ImportOptions final : Options {
  std::vector<std::string> files;
  ForeignModel model;
  std::string output;

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
               model.toolkit,
               kToolkitNames,
               "Format of the model; auto: determined from the name of the file or from the files "
               "in the folder.")
        .alias("from");
    table
        .field(
            "weights", model.weights, "Parameters as a safetensors file, with the toolkit's names.")
        .value_name("WEIGHTS");
    table
        .field("options",
               model.options,
               "Options of the model as a JSON object, for parameters in a safetensors file.")
        .value_name("OPTIONS");
    table
        .field("data",
               model.data,
               "Data folder with the dictionaries. Default: the folder of the checkpoint, or "
               "data-bin in it.")
        .value_name("DATA-BIN");
    table.field("output", output, "Checkpoint to write.").value_name("FILE").writes_file();
  }

  void describe_text(OptionTable& table) {
    table
        .field("vocabs",
               model.vocabs,
               "Vocabularies of a Marian (.spm, .yml or text) or JoeyNMT model: source and target, "
               "or one for both. Default: for Marian, those named in decoder.yml next to the "
               "model; for JoeyNMT, src_vocab.txt and trg_vocab.txt next to the checkpoint.")
        .value_name("FILES");
    table
        .field("sentencepiece",
               model.sentencepiece,
               "Subword model for both languages, stored in the checkpoint.")
        .value_name("MODEL");
    table
        .field(
            "source-lang",
            model.source_lang,
            "Source language; default: as recorded in the checkpoint or in the file names of the "
            "data folder. For a multilingual model: the default source language.")
        .short_flag("s")
        .value_name("LANG");
    table.field("target-lang", model.target_lang, "Target language, in the same way.")
        .short_flag("t")
        .value_name("LANG");
  }

  /// Assigns the files that were given without a flag by their position.
  void sort_files() {
    std::vector<std::string*> places = {&model.weights, &output};
    if (!files.empty() && files.front() == "fairseq") {
      files.erase(files.begin());
      places = {&model.weights, &model.options, &model.data};
    }
    if (files.size() > places.size())
      throw UsageError(fmt::format("unexpected argument '{}'", files[places.size()]), kBothForms);
    for (size_t i = 0; i < files.size(); ++i) {
      if (!places[i]->empty())
        throw UsageError(fmt::format("'{}' and '{}' are given for one file", files[i], *places[i]),
                         kBothForms);
      *places[i] = files[i];
    }
    if (model.weights.empty())
      throw UsageError("the model is missing", kBothForms);
    if (output.empty())
      throw UsageError("the checkpoint to write is missing", kBothForms);
    if (places.size() == 3 && (model.options.empty() || model.data.empty()))
      throw UsageError("OPTIONS and DATA-BIN are missing", kBothForms);
  }
};

int import(std::span<const std::string> arguments) {
  ImportOptions options;
  if (!begin_command(options,
                     {"import",
                      kUsage,
                      "Converts a model trained with another toolkit to a checkpoint. Nothing in "
                      "the model's files is executed."},
                     arguments))
    return kExitOk;
  options.sort_files();
  check_new_checkpoint(options.output, files_of(options.model));
  const ImportedModel model = import_model(options.model);
  model.write(options.output);
  const std::string languages = languages_summary(model.texts);
  log_info(fmt::format("{}: {}, {} tensors",
                       options.output,
                       languages.empty() ? "language model" : languages,
                       model.tensors.size()));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("import", argc, argv, import); }
