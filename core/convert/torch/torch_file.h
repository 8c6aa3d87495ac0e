#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {

/// A file that `torch.save` wrote, read without executing anything in it: in the ZIP layout or the
/// older layout of several pickles. Values are inert records; tensors are views into the mapped
/// file, or copies if their elements are not in row-major order.
class PHRASEQ_API TorchFile {
 public:
  /// Throws IoError, and FormatError for a file that is not of this kind, is truncated or damaged,
  /// has a different byte order, or contains classes that are not allowed.
  static TorchFile open(const std::string& path);
  ~TorchFile();
  TorchFile(TorchFile&&) noexcept;

  const std::string& path() const;
  const PickleGraph& values() const;  ///< its root is what was saved
  /// The tensors of a dictionary under their keys, in its order; other values are skipped. Throws
  /// FormatError for a tensor that extends beyond its storage, or a storage that does not have the
  /// declared size. Views stay valid as long as the object.
  std::vector<TensorView> tensors(PickleRef dictionary) const;

 private:
  struct State;
  explicit TorchFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
