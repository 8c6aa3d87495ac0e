#pragma once

#include "cli/plugins/plugins_options.h"

namespace phraseq {

/// Loads the plugin `subject`, a file or the NAME of an installed libphraseq-NAME.so, in a separate
/// process, and checks its components there. Returns the exit code. Throws PluginError if the
/// plugin terminates that process.
int check_plugin(PluginsOptions& options);

}  // namespace phraseq
