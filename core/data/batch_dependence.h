#pragma once

#include "core/base/api.h"

namespace phraseq {

/// The options of an architecture also derive from this if one of their settings lets the other
/// sentences of a batch influence a sentence. `plugins check` then does not ask for equal results.
class PHRASEQ_API BatchDependence {
 public:
  virtual ~BatchDependence();
  virtual bool depends_on_batch() const = 0;
};

}  // namespace phraseq
