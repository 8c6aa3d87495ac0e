#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {

/// The arrays of a NumPy archive (`.npz`): a ZIP archive of `.npy` files, as Marian's cnpy and
/// NumPy's `savez` write it. Arrays are views into the mapped file, under their names without
/// `.npy`.
class PHRASEQ_API NpzFile {
 public:
  /// Throws IoError, and FormatError for a file that is not such an archive, is truncated or
  /// damaged, or has arrays that are big-endian, in column order, or of a type that is not
  /// supported.
  explicit NpzFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, TensorView>& arrays() const { return arrays_; }

 private:
  MappedFile file_;
  std::map<std::string, TensorView> arrays_;
};

/// Reads a `.npy` file (NumPy's format, versions 1 to 3); the array is a view into `bytes`. Throws
/// a FormatError that begins with `where`.
PHRASEQ_API TensorView parse_npy(std::span<const std::byte> bytes, const std::string& where);

/// An array as a `.npy` file, version 1.
PHRASEQ_API std::string to_npy(const TensorView& array);

}  // namespace phraseq
