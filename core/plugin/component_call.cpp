#include "core/plugin/component_call.h"

#include <fmt/format.h>

namespace phraseq {

Error component_failure(const Component& component, std::string_view doing, std::string_view what) {
  if (component.plugin.empty()) {
    return {kExitBug,
            fmt::format("{} '{}' failed in {}: {}", component.kind, component.name, doing, what)};
  }
  return {kExitBug,
          fmt::format("plugin '{}' ({}): {} '{}' failed in {}: {}",
                      component.plugin,
                      component.file,
                      component.kind,
                      component.name,
                      doing,
                      what),
          "Unless memory ran out, this is a bug in the plugin: please report it to its author with "
          "the command and this text. 'phraseq plugins check FILE' may show more."};
}

}  // namespace phraseq
