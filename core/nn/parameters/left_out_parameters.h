#pragma once

#include <string>

namespace phraseq::nn {

/// The options of an architecture also derive from this if they can leave out a part of the model.
/// A checkpoint may then hold parameters of that part.
class LeavesOutParameters {
 public:
  virtual ~LeavesOutParameters() = default;
  /// Whether the parameter of that name in a checkpoint belongs to what is left out.
  virtual bool leaves_out(const std::string& parameter) const = 0;
};

}  // namespace phraseq::nn
