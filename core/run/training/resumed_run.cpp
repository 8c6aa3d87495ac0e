#include "core/run/training/resumed_run.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/checkpoint_format.h"

namespace phraseq {
namespace {

/// Finds the checkpoint or the pointer that --restore-file names. A missing one is an error: a
/// training from scratch would replace the files of the earlier run.
std::string named_checkpoint(const CheckpointOptions& options) {
  const std::string& name = options.restore_file;
  if (name.empty())
    throw UsageError("--restore-file: the name is empty",
                     "Without it, the last checkpoint is used.");
  if (name.find('/') != std::string::npos)
    return resolve_checkpoint(name);
  if (const auto found = find_checkpoint(options.save_dir + "/" + name))
    return *found;
  throw UsageError(fmt::format("--restore-file {}: {} has no such file", name, options.save_dir),
                   fmt::format("Give the whole name, such as checkpoint4.safetensors, or a path, "
                               "such as ./{} for a file in the current folder.",
                               name));
}

/// The checkpoint to continue from, or nothing.
std::optional<std::string> restore_path(const CheckpointOptions& options) {
  const std::string& name = options.restore_file;
  if (name != kLastPointer && name != kBestPointer)
    return named_checkpoint(options);
  std::error_code problem;
  if (!std::filesystem::is_directory(options.save_dir, problem))
    return std::nullopt;
  const auto found = resolve_in_folder(options.save_dir, name, options.strict_resume);
  if (!found && resolve_in_folder(options.save_dir, kLastPointer, options.strict_resume)) {
    throw UsageError(
        fmt::format(
            "--restore-file {}: {} has checkpoints, but not this one", name, options.save_dir),
        fmt::format("Use --restore-file {}, or start from scratch in another --save-dir.",
                    kLastPointer));
  }
  return found;
}

std::optional<CheckpointFile> file_to_resume(const CheckpointOptions& options) {
  const auto path = restore_path(options);
  return path ? std::optional(CheckpointFile::open(*path)) : std::nullopt;
}

}  // namespace

ResumedRun find_resumed_run(const CheckpointOptions& options, ProcessGroup& processes) {
  ResumedRun resumed;
  if (processes.is_first())
    resumed.file = file_to_resume(options);
  std::string text;
  if (resumed.file) {
    resumed.record = read_train_record(*resumed.file);
    resumed.path = resumed.file->path();
    text = resumed.file->metadata(kTrainEntry);
  }
  resumed.path = processes.text_of_first(resumed.path);
  text = processes.text_of_first(text);
  if (!processes.is_first() && !text.empty())
    resumed.record = parse_train_record(text, resumed.path);
  return resumed;
}

}  // namespace phraseq
