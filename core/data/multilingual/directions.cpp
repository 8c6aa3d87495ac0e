#include "core/data/multilingual/directions.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/named_task.h"

namespace phraseq {

SeveralDirections::~SeveralDirections() = default;

void require_direction(const Task& task, const std::string& path) {
  const auto* const directions = interface_of<SeveralDirections>(task);
  if (directions == nullptr || directions->has_direction())
    return;
  throw UsageError(
      fmt::format(
          "{}: the model translates in several directions: {}", path, directions->directions()),
      "Choose one with --source-lang and --target-lang.");
}

namespace {

/// What a model without a choice of directions does.
std::string only_direction(const Task& task) {
  if (task.source_language() == task.target_language())
    return "the model does not translate from one language to another";
  return fmt::format(
      "the model translates only from {} to {}", task.source_language(), task.target_language());
}

}  // namespace

void check_direction(const Task& task, const TaskSetup& setup) {
  const auto differs = [](const std::string& asked, const std::string& own) {
    return !asked.empty() && asked != own;
  };
  if (interface_of<SeveralDirections>(task) != nullptr ||
      !(differs(setup.source_language, task.source_language()) ||
        differs(setup.target_language, task.target_language())))
    return;
  if (!setup.data.empty()) {
    throw UsageError(fmt::format("--source-lang {} --target-lang {}: {}",
                                 setup.source_language,
                                 setup.target_language,
                                 only_direction(task)),
                     "Leave both out, or use a model of this direction.");
  }
  log_warning("--source-lang and --target-lang have no effect: " + only_direction(task));
}

}  // namespace phraseq
