#pragma once

#include <string>

#include "core/base/api.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The options of an architecture derive from this, too, when it is trained with a criterion of its
/// own: that is then the default, and another one is warned of.
class PHRASEQ_API DeclaresCriterion {
 public:
  virtual ~DeclaresCriterion();
  /// The criterion's name; may depend on the options.
  virtual std::string declared_criterion() const = 0;
};

/// The criterion that an architecture declares; empty when every one will do.
PHRASEQ_API std::string declared_criterion(const Selection& architecture);

/// Logs a warning when an architecture declares another criterion than the chosen one.
PHRASEQ_API void warn_of_other_criterion(const Selection& architecture, const Selection& criterion);

}  // namespace phraseq
