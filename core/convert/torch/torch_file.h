#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {

/// A file that `torch.save` wrote, read without executing anything in it: the ZIP layout, and the
/// older one of several pickles. Values are inert records; tensors are views into the mapped file,
/// or copies where their elements are not in the order of a row-major array.
class PHRASEQ_API TorchFile {
 public:
  /// Throws IoError, and FormatError for a file that is no such file, is cut off or damaged, has
  /// the bytes of another processor, or contains classes that are not allowed.
  static TorchFile open(const std::string& path);
  ~TorchFile();
  TorchFile(TorchFile&&) noexcept;

  const std::string& path() const;
  const PickleGraph& values() const;  ///< its root is what was saved
  /// The tensors of a dictionary under their keys, in its order; other values are passed over.
  /// Throws FormatError for a tensor that reaches beyond its storage, or a storage that does not
  /// have the promised size. Views stay good as long as the object.
  std::vector<TensorView> tensors(PickleRef dictionary) const;

 private:
  struct State;
  explicit TorchFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
