#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A component with its plugin and its options, as a checkpoint records it.
PHRASEQ_API nlohmann::json record_of(const Selection& selection);

/// The component of a kind that a checkpoint records, with its options. Throws a PluginError that
/// says what to install if its plugin is missing; errors in the record name the file.
PHRASEQ_API Selection recorded_component(const Registry& registry,
                                         const CheckpointFile& file,
                                         const char* kind);

/// The texts of the task that a checkpoint records.
PHRASEQ_API std::map<std::string, std::string> recorded_task_texts(const CheckpointFile& file);

}  // namespace phraseq
