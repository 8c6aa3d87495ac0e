#pragma once

#include <string_view>

#include "core/base/api.h"
#include "core/criterion/criterion.h"
#include "core/options/option_table.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// Warns of options that were given without another option that they need.
PHRASEQ_API void warn_of_unused_options(const OptionTable& table);

/// Warns of changed values that have no effect with the other options of the component.
PHRASEQ_API void warn_of_values_without_effect(const Selection& selection);

/// Warns of validation options that are given together with --disable-validation.
PHRASEQ_API void warn_of_unused_validation(const OptionTable& table);

/// Warns if --load-alignments is given and the criterion, called `name`, has no alignment loss.
PHRASEQ_API void warn_of_unused_alignments(const Criterion& criterion,
                                           std::string_view name,
                                           const OptionTable& table);

}  // namespace phraseq
