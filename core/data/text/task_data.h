#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"

/// Where the data of a task are, and which loader reads them.
namespace phraseq {

/// The folders that a task reads: of A:B:C, a model needs only the first, as the others are for
/// training. Throws UsageError if there is neither a folder nor a checkpoint, and for a phrase
/// table that the task cannot use.
PHRASEQ_API std::vector<std::string> task_folders(const TaskSetup& setup,
                                                  std::string_view task,
                                                  bool has_phrase_memory = false);

/// The name of the loader that reads a task's data: `chosen`, or for "auto" `indexed` where the
/// folder has .idx files and text is not segmented at random (`samples`), else `text`. A built-in
/// loader or random segmentation that a checkpoint recorded applies only to its training data.
PHRASEQ_API std::string loader_for(const TaskSetup& setup, const std::string& chosen, bool samples);

/// Throws UsageError if a split is requested of a task that has no data folder.
PHRASEQ_API void require_data_folder(bool has_folder, const std::string& split);

}  // namespace phraseq
