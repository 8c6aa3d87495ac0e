#include "core/plugin/select_recorded.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {

Selection select_recorded(const Registry& registry,
                          const char* kind,
                          const std::string& name,
                          const std::string& recorded_in) {
  try {
    return registry.select(kind, name);
  } catch (const UsageError& failure) {
    throw PluginError(
        fmt::format("{} needs the {} '{}', which is not installed", recorded_in, kind, name),
        fmt::format("Install the plugin that provides it, or give its folder with --plugin-dir.\n"
                    "  {}",
                    failure.what()));
  }
}

}  // namespace phraseq
