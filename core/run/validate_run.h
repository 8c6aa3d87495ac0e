#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/validate_options.h"
#include "core/run/run_components.h"

namespace phraseq {

struct ValidationResult;

/// `phraseq validate`: components are selected and options described, but not parsed yet.
struct PHRASEQ_API ValidateRun {
  explicit ValidateRun(std::span<const std::string> arguments);
  /// Problems of the options. Some problems are thrown as UsageError instead.
  std::vector<std::string> problems() const;
  /// Names the criterions that have an option that the selected one lacks (ExplainOption).
  std::string explain_unknown(const std::string& option) const;

  std::unique_ptr<LoadedPlugins> loaded;
  ValidateOptions options;
  OptionTable table;
  Selection criterion;
  bool records_criterion = false;  ///< whether the checkpoint does
  std::string missing_criterion;   ///< the recorded one, if its plugin is not installed
};

/// Computes the loss on each split, and passes each result to `report`. Throws DivergenceError on a
/// loss that is not finite.
PHRASEQ_API void validate(ValidateRun& run,
                          const std::function<void(const ValidationResult& result)>& report);

/// The result as one line of the training log, in base 2, or as a JSON object.
PHRASEQ_API std::string validation_text(const ValidationResult& result, ValidationFormat format);

}  // namespace phraseq
