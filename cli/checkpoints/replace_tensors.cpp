// phraseq replace-tensors: puts weights that another program made into a checkpoint.

#include "core/checkpoint/derived/replace_tensors.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_folder.h"

namespace {

using namespace phraseq;

struct ReplaceTensorsOptions final : Options {
  std::string checkpoint;
  std::string tensors;
  std::string output;

  void describe(OptionTable& table) override {
    table
        .field(
            "checkpoint", checkpoint, "Checkpoint, checkpoint pointer, or folder of checkpoints.")
        .positional()
        .required()
        .value_name("CHECKPOINT");
    table
        .field("tensors",
               tensors,
               "Safetensors file with new values for some or all tensors, with the same names.")
        .positional()
        .required()
        .value_name("TENSORS");
    table.field("output", output, "Checkpoint to write.")
        .required()
        .value_name("FILE")
        .writes_file();
  }
};

int replace(std::span<const std::string> arguments) {
  ReplaceTensorsOptions options;
  if (!begin_command(options,
                     {"replace-tensors",
                      "CHECKPOINT TENSORS --output FILE",
                      "Writes a copy of a checkpoint with tensors replaced by those of a "
                      "safetensors file. Names and shapes must match the checkpoint; other "
                      "floating-point types are rounded to its type. Options, vocabularies and "
                      "all other tensors are unchanged."},
                     arguments))
    return kExitOk;
  const ReplacedTensors replaced =
      replace_tensors(resolve_checkpoint(options.checkpoint), options.tensors, options.output);
  log_info(fmt::format("{}: tensors replaced: {}, given with the same values: {}",
                       options.output,
                       replaced.changed.size(),
                       replaced.equal.size()));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  return phraseq::run_command("replace-tensors", argc, argv, replace);
}
