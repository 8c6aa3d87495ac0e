#include "core/run/training/resumed_run.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

namespace {

/// A checkpoint or a pointer that was named: training from scratch in its place would replace the
/// files of the earlier run.
std::string named_checkpoint(const CheckpointOptions& options) {
  const std::string& name = options.restore_file;
  if (name.find('/') != std::string::npos)
    return resolve_checkpoint(name);
  const std::string path = options.save_dir + "/" + name;
  if (!std::filesystem::exists(path)) {
    throw UsageError(fmt::format("--restore-file {}: {} has no such file", name, options.save_dir),
                     fmt::format("Give the whole name, such as checkpoint4.safetensors, or a path: "
                                 "./{} is in the current folder.",
                                 name));
  }
  return resolve_checkpoint(path);
}

/// The checkpoint to continue from, or nothing.
std::optional<std::string> restore_path(const CheckpointOptions& options,
                                        const CheckpointFolder* folder) {
  const std::string& name = options.restore_file;
  if (name != "checkpoint_last" && name != "checkpoint_best")
    return named_checkpoint(options);
  if (folder != nullptr)
    return folder->resolve(name, options.strict_resume);
  const std::string pointer =
      options.save_dir + "/" + name;  // --no-save: the folder stays as it is
  return std::filesystem::exists(pointer) ? std::optional(resolve_checkpoint(pointer))
                                          : std::nullopt;
}

std::optional<CheckpointFile> file_to_resume(const CheckpointOptions& options,
                                             const CheckpointFolder* folder) {
  const auto path = restore_path(options, folder);
  return path ? std::optional(CheckpointFile::open(*path)) : std::nullopt;
}

}  // namespace

ResumedRun find_resumed_run(const CheckpointOptions& options,
                            const CheckpointFolder* folder,
                            ProcessGroup& processes) {
  ResumedRun resumed;
  if (processes.is_first())
    resumed.file = file_to_resume(options, folder);
  std::string text;
  if (resumed.file) {
    resumed.record = read_train_record(*resumed.file);
    resumed.path = resumed.file->path();
    text = resumed.file->metadata("train");
  }
  resumed.path = processes.text_of_first(resumed.path);
  text = processes.text_of_first(text);
  if (!processes.is_first() && !text.empty())
    resumed.record = parse_train_record(text, resumed.path);
  return resumed;
}

}  // namespace phraseq
