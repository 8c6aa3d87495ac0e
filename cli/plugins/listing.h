#pragma once

#include "cli/plugins/plugins_options.h"

namespace phraseq {

/// Prints the components that plugins register, one per line, and their presets if requested.
/// Returns the exit code. Throws UsageError for an unknown --kind.
int list_plugins(PluginsOptions& options);

/// Prints the options of the component or preset `subject`. Returns the exit code. Throws
/// UsageError for an unknown name.
int explain_component(PluginsOptions& options);

}  // namespace phraseq
