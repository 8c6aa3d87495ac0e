#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// --plugin-dir. Commands read it with peek_list before they parse their arguments, because plugins
/// also have options.
struct PHRASEQ_API PluginOptions {
  std::vector<std::string> plugin_dir;

  void describe(OptionTable& table);
};

}  // namespace phraseq
