#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"

namespace phraseq {

/// Interface of a task that translates in several directions, of which one is chosen
/// (TaskSetup::source_language, target_language).
class PHRASEQ_API SeveralDirections {
 public:
  virtual ~SeveralDirections();
  /// Directions that the task was trained for, for messages: "en-de, de-en".
  virtual std::string directions() const = 0;
  /// True if a direction is chosen, so that text can be translated.
  virtual bool has_direction() const = 0;
  /// Target languages that the task was trained for, in the order of the pairs.
  virtual std::vector<std::string> target_languages() const = 0;
};

/// Throws UsageError when the task needs a direction and has none; `path` names its checkpoint.
PHRASEQ_API void require_direction(const Task& task, const std::string& path);

/// Throws UsageError if the direction chosen for a data folder differs from the only direction of
/// the task; only warns if there is no folder.
PHRASEQ_API void check_direction(const Task& task, const TaskSetup& setup);

}  // namespace phraseq
