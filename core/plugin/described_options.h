#pragma once

#include <memory>

#include "core/options/option_table.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// New options of a component, with their description.
struct DescribedOptions {
  explicit DescribedOptions(const Component& component) : options(component.make_options()) {
    options->describe(table);
  }

  std::unique_ptr<Options> options;
  OptionTable table;
};

}  // namespace phraseq
