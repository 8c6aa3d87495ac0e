#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Interface of a task that takes values of its options from the data folder. The run manifest and
/// the checkpoint then record the values used.
class PHRASEQ_API OptionsFromData {
 public:
  virtual ~OptionsFromData();
  /// Option name, with underscores → value that the data decided or confirmed.
  virtual nlohmann::json options_from_data() const = 0;
};

/// The options that a task took from its data; an empty object for a task without this interface.
PHRASEQ_API nlohmann::json options_from_data(const Task& task);

/// Puts these values into the table, whose fields are the task's options. Throws UsageError for an
/// option that was given a value different from the data's; "auto" counts as not given.
PHRASEQ_API void take_options_from_data(OptionTable& table, const Task& task);

/// The names of the options that were not given and that the data decided.
PHRASEQ_API std::vector<std::string> names_from_data(const OptionTable& table, const Task& task);

}  // namespace phraseq
