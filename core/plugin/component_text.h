#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// Describes a component: description, plugin and file, options with defaults and ranges, and
/// presets with the values that they change. For a terminal (`phraseq plugins explain`).
PHRASEQ_API std::string component_text(const Component& component);

/// Describes one of its presets: the value of every option, beginning with those that the preset
/// changes, which are shown with their defaults.
PHRASEQ_API std::string preset_text(const Component& component, const Preset& preset);

/// component_text as a Markdown page for docs/options, without the file, so that every machine
/// writes the same page.
PHRASEQ_API std::string component_markdown(const Component& component);

/// The problems of a component's own description, one sentence each: a default or preset that is
/// out of its range, contradicts another option or cannot be applied.
PHRASEQ_API std::vector<std::string> component_problems(const Component& component);

}  // namespace phraseq
