#pragma once

#include <string>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A second base class for the options of an architecture that is trained with a particular
/// criterion: this criterion is then the default, and any other one causes a warning.
class PHRASEQ_API DeclaresCriterion {
 public:
  virtual ~DeclaresCriterion();
  /// The criterion's name; may depend on the options.
  virtual std::string declared_criterion() const = 0;
};

/// The criterion that an architecture declares; empty if any criterion will do.
PHRASEQ_API std::string declared_criterion(const Selection& architecture);

/// Logs a warning if an architecture declares a criterion that differs from the chosen one.
PHRASEQ_API void warn_of_other_criterion(const Selection& architecture, const Selection& criterion);

}  // namespace phraseq
