#pragma once

#include <string>

namespace phraseq::nn {

/// A second base class for the options of an architecture that can omit a part of the model. A
/// checkpoint may then contain parameters of that part.
class LeavesOutParameters {
 public:
  virtual ~LeavesOutParameters() = default;
  /// Whether the parameter of this name in a checkpoint belongs to the omitted part.
  virtual bool leaves_out(const std::string& parameter) const = 0;
};

}  // namespace phraseq::nn
