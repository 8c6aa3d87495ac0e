#include "core/run/training/resumed_run.h"

#include <filesystem>

namespace phraseq {

namespace {

/// The checkpoint to continue from, or nothing.
std::optional<std::string> restore_path(const CheckpointOptions& options,
                                        const CheckpointFolder* folder) {
  namespace fs = std::filesystem;
  if (folder == nullptr)
    return std::nullopt;
  const std::string& name = options.restore_file;
  if (name.find('/') != std::string::npos)
    return resolve_checkpoint(name);
  if (name == "checkpoint_last" || name == "checkpoint_best")
    return folder->resolve(name, options.strict_resume);
  const std::string path = folder->path() + "/" + name;
  if (!fs::exists(path))
    return std::nullopt;
  return path;
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
