#pragma once

#include <span>
#include <string>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {

/// The options that a check works with: the preset's (or the defaults), sizes that the
/// Transformer's options name made small so that finite differences take a moment, and then
/// `given`, NAME=VALUE each. Names that the component does not have are left out when they are
/// ours, and are a UsageError when they are the author's.
PHRASEQ_API Selection small_selection(const Component& component,
                                      const Preset* preset,
                                      std::span<const std::string> given);

}  // namespace phraseq::conformance
