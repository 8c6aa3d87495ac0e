// phraseq export: converts a checkpoint to the format of another toolkit.

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/convert/ctranslate2/ct2_export.h"
#include "core/convert/export_model.h"
#include "core/convert/hf/marian_mt_export.h"
#include "core/convert/marian/npz_export.h"
#include "core/convert/onnx/onnx_export.h"

namespace {

using namespace phraseq;

enum class ExportFormat { kNotGiven, kCTranslate2, kHuggingFace, kMarian, kOnnx };

constexpr EnumName<ExportFormat> kExportFormatNames[] = {
    {"ctranslate2", ExportFormat::kCTranslate2},
    {"hf", ExportFormat::kHuggingFace},
    {"marian", ExportFormat::kMarian},
    {"onnx", ExportFormat::kOnnx}};

struct ExportOptions final : Options {
  ExportFormat format = ExportFormat::kNotGiven;
  std::string checkpoint;
  std::string output;

  void describe(OptionTable& table) override {
    table
        .field("format",
               format,
               kExportFormatNames,
               "Format: ctranslate2, hf for a MarianMTModel of Hugging Face, marian, or onnx.")
        .required();
    table
        .field("checkpoint",
               checkpoint,
               "Checkpoint with the architecture transformer; for marian, also ssru_transformer.")
        .positional()
        .required()
        .value_name("CHECKPOINT");
    table.field("output", output, "Folder to write; it must be missing or empty.")
        .positional()
        .required()
        .value_name("FOLDER");
  }
};

int export_model(std::span<const std::string> arguments) {
  ExportOptions options;
  if (!begin_command(options,
                     {"export",
                      "--format FORMAT CHECKPOINT FOLDER",
                      "Converts a checkpoint to the format of another toolkit."},
                     arguments))
    return kExitOk;
  const ExportModel model = ExportModel::open(resolve_checkpoint(options.checkpoint));
  if (options.format == ExportFormat::kCTranslate2) {
    export_to_ctranslate2(model, options.output);
  } else if (options.format == ExportFormat::kMarian) {
    export_to_marian_npz(model, options.output);
  } else if (options.format == ExportFormat::kOnnx) {
    export_to_onnx(model, options.output);
  } else {
    export_to_marian_mt(model, options.output);
  }
  log_info(fmt::format("{}: written", options.output));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("export", argc, argv, export_model); }
