#include "core/conformance/small_options.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/near_miss.h"

namespace phraseq::conformance {
namespace {

/// What can be left out most easily comes last: with 8 or 16 heads, a width of 16 does as well.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kSmall = {{
    {"embed-dim", "6"},
    {"hidden", "5"},
    {"gate-hidden", "7"},
    {"encoder-layers", "2"},
    {"decoder-layers", "2"},
    {"max-source-positions", "32"},
    {"max-target-positions", "32"},
    {"encoder-ffn-embed-dim", "10"},
    {"decoder-ffn-embed-dim", "14"},
    {"encoder-embed-dim", "16"},
    {"decoder-embed-dim", "16"},
    {"encoder-attention-heads", "2"},
    {"decoder-attention-heads", "2"},
}};

/// Sets the named option when there is one and the value is in its range.
void set_when_possible(Options& options, std::string_view name, std::string_view value) {
  OptionTable table;
  options.describe(table);
  OptionField* field = table.find(name);
  if (field == nullptr)
    return;
  try {
    field->from_text(value, OptionOrigin::kCommandLine);
  } catch (const UsageError&) {  // out of this component's range
  }
}

/// All sizes at once, because they depend on each other; those that then contradict are left out,
/// one after the other, from the last.
std::unique_ptr<Options> small_options(const Component& component, const Preset* preset) {
  for (size_t count = kSmall.size();; --count) {
    auto options = component.make_options();
    if (preset != nullptr)
      preset->apply(*options);
    for (size_t i = 0; i < count; ++i)
      set_when_possible(*options, kSmall[i].first, kSmall[i].second);
    if (count == 0 || options->problems().empty())
      return options;
  }
}

void set_given(Selection& selection, const std::string& entry) {
  OptionTable table;
  selection.options->describe(table);
  const size_t equals = entry.find('=');
  const std::string name = entry.substr(0, equals);
  OptionField* field = equals == std::string::npos ? nullptr : table.find(name);
  if (field == nullptr) {
    const std::string guess = did_you_mean(name, table.names());
    throw UsageError(fmt::format("--set {}: NAME=VALUE with an option of {} is expected{}{}",
                                 entry,
                                 selection.component->name,
                                 guess.empty() ? "" : "; ",
                                 guess));
  }
  field->from_text(entry.substr(equals + 1), OptionOrigin::kCommandLine);
}

}  // namespace

Selection small_selection(const Component& component,
                          const Preset* preset,
                          std::span<const std::string> given) {
  Selection selection{&component,
                      preset == nullptr ? component.name : preset->name,
                      small_options(component, preset)};
  for (const std::string& entry : given) set_given(selection, entry);
  return selection;
}

}  // namespace phraseq::conformance
