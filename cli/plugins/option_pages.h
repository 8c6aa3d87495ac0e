#pragma once

#include "cli/plugins/plugins_options.h"

namespace phraseq {

/// Writes the pages of docs/options to --output: one per component, one per command, and a list of
/// them; all or none. Returns the exit code.
int write_option_pages(const PluginsOptions& options);

}  // namespace phraseq
