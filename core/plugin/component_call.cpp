#include "core/plugin/component_call.h"

#include <fmt/format.h>

#include "core/base/out_of_memory.h"

namespace phraseq {
namespace {

/// A failure of a component that computes with tensors counts as a bug; a failure of any other
/// component, as an error in its use.
ExitCode exit_code_for(std::string_view kind) {
  const bool computes = kind == "architecture" || kind == "criterion" || kind == "decoder";
  return computes ? kExitBug : kExitPlugin;
}

}  // namespace

Error component_failure(const Component& component, std::string_view doing, std::string_view what) {
  what = what.substr(0, what.find("\nException raised from "));  // LibTorch adds its call stack
  if (means_out_of_memory(what)) {
    return OutOfMemory(
        fmt::format("{} '{}' in {}: {}", component.kind, component.name, doing, what));
  }
  if (component.plugin.empty()) {
    return {exit_code_for(component.kind),
            fmt::format("{} '{}' failed in {}: {}", component.kind, component.name, doing, what)};
  }
  return {exit_code_for(component.kind),
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
