// phraseq quantize: stores the parameters of a checkpoint in fewer bits.

#include "core/checkpoint/derived/quantize.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_folder.h"

namespace {

using namespace phraseq;

struct QuantizeOptions final : Options {
  std::string checkpoint;
  std::string output;
  StoredType quantization = StoredType::kInt8;

  void describe(OptionTable& table) override {
    table
        .field(
            "checkpoint", checkpoint, "Checkpoint, checkpoint pointer, or folder of checkpoints.")
        .positional()
        .required()
        .value_name("CHECKPOINT");
    table.field("output", output, "Checkpoint to write.")
        .positional()
        .required()
        .value_name("OUTPUT")
        .writes_file();
    table.field("quantization",
                quantization,
                kStoredTypeNames,
                "int8: matrices as 8-bit numbers with a scale for each row, a quarter of the size; "
                "commands then also compute with 8-bit numbers. fp16, bf16: half of the size.");
  }
};

int quantize(std::span<const std::string> arguments) {
  QuantizeOptions options;
  if (!begin_command(
          options,
          {"quantize",
           "CHECKPOINT OUTPUT [--quantization int8]",
           "Writes a smaller copy of a checkpoint for translation, with fewer bits per parameter."},
          arguments))
    return kExitOk;
  const QuantizedSize size = quantize_checkpoint(
      resolve_checkpoint(options.checkpoint), options.output, options.quantization);
  log_info(fmt::format("{}: parameters take {} bytes, {:.1f} % of {}",
                       options.output,
                       size.after,
                       100.0 * static_cast<double>(size.after) / static_cast<double>(size.before),
                       size.before));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("quantize", argc, argv, quantize); }
