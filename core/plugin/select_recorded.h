#pragma once

#include <string>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The component that a checkpoint or a data folder (`recorded_in`) was made with. Throws a
/// PluginError that says what to install if no loaded plugin has it.
PHRASEQ_API Selection select_recorded(const Registry& registry,
                                      const char* kind,
                                      const std::string& name,
                                      const std::string& recorded_in);

}  // namespace phraseq
