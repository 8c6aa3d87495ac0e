#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// Adds a component's options to a table. If their code throws, the error names the plugin.
PHRASEQ_API void describe_options(const Component& component, Options& options, OptionTable& table);

/// New options of a component, with their description.
struct PHRASEQ_API DescribedOptions {
  explicit DescribedOptions(const Component& component);

  std::unique_ptr<Options> options;
  OptionTable table;
};

}  // namespace phraseq
