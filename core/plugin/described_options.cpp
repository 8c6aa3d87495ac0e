#include "core/plugin/described_options.h"

#include "core/plugin/component_call.h"

namespace phraseq {

void describe_options(const Component& component, Options& options, OptionTable& table) {
  call_component(component, "describing its options", [&] { options.describe(table); });
}

DescribedOptions::DescribedOptions(const Component& component) : options(component.make_options()) {
  describe_options(component, *options, table);
}

}  // namespace phraseq
