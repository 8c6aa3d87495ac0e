#pragma once

#include <optional>
#include <string>

#include "core/checkpoint/checkpoint_file.h"
#include "core/distributed/process_group.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/train_checkpoint.h"

namespace phraseq {

/// The run that the first process resumes, in the form that all processes need.
struct ResumedRun {
  std::optional<CheckpointFile> file;  ///< set only in the first process
  std::string path;
  std::optional<TrainRecord> record;
};

/// Finds the run to resume. Nothing is resumed if the result's `record` is empty.
ResumedRun find_resumed_run(const CheckpointOptions& options, ProcessGroup& processes);

}  // namespace phraseq
