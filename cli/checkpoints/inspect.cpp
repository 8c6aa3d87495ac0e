// phraseq inspect: prints the contents of a checkpoint, and whether it is complete.

#include <iostream>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/checkpoint_report.h"

namespace {

using namespace phraseq;

struct InspectOptions final : Options {
  std::string file;
  bool tensors = false;
  bool options = false;
  bool json = false;

  void describe(OptionTable& table) override {
    table.field("file", file, "Checkpoint, checkpoint pointer, or folder of checkpoints.")
        .positional()
        .required()
        .value_name("FILE");
    table.field("tensors", tensors, "List every tensor: dtype, shape, bytes and name.");
    table.field("options", options, "List the options of the architecture and of the task.");
    table.field("json", json, "Print everything as one JSON object.");
  }
};

void print(const CheckpointFile& file, const InspectOptions& options) {
  if (options.json) {
    std::cout << checkpoint_report(file).dump(2) << '\n';
    return;
  }
  std::cout << checkpoint_summary(file);
  if (options.options)
    std::cout << '\n' << options_list(file);
  if (options.tensors)
    std::cout << '\n' << tensor_list(file);
}

/// Opening a checkpoint verifies all checksums, so the printed contents are those that were
/// written.
int inspect(std::span<const std::string> arguments) {
  InspectOptions options;
  if (!begin_command(
          options,
          {"inspect",
           "FILE [--tensors] [--options] [--json]",
           "Verifies a checkpoint and prints its contents. Damage is an error (exit code 4)."},
          arguments))
    return kExitOk;
  print(CheckpointFile::open(resolve_checkpoint(options.file)), options);
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("inspect", argc, argv, inspect); }
