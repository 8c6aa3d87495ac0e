#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Element types of the safetensors layout that we read and write.
enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };
PHRASEQ_API std::string_view to_string(DType dtype);  ///< "F32" …
PHRASEQ_API size_t size_of(DType dtype);              ///< bytes

/// A named array, not owned.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
  int64_t elements() const;
};

/// Writes a checkpoint: safetensors layout, strings in `__metadata__`, a CRC-32C per tensor and one of
/// the header's own content among them (docs/formats/checkpoint.md). Through AtomicFile: a failure
/// throws IoError and leaves an older file as it was. No time stamp: equal content, equal bytes.
PHRASEQ_API void write_checkpoint(const std::string& path,
                                  const std::map<std::string, std::string>& metadata,
                                  std::span<const TensorView> tensors);

/// A checkpoint opened for reading. Opening verifies, in this order: size, header length, UTF-8, JSON,
/// dtypes and shapes without overflow, offsets contiguous and covering the file, format version, every checksum.
/// Each defect is a FormatError naming the file and the header or tensor. The content is
/// mapped, or read, once; views stay good as long as the object.
class PHRASEQ_API CheckpointFile {
 public:
  /// `verify_tensors` = false leaves the tensors' checksums for later (`phraseq inspect`'s listing).
  /// A plain safetensors file of someone else (no phraseq metadata) opens too: `is_foreign()`.
  static CheckpointFile open(const std::string& path, bool verify_tensors = true);
  ~CheckpointFile();
  CheckpointFile(CheckpointFile&&) noexcept;

  const std::string& path() const;
  bool is_foreign() const;
  const std::map<std::string, std::string>& metadata() const;
  /// Throws FormatError when the entry is missing.
  const std::string& metadata(std::string_view key) const;
  const std::vector<TensorView>& tensors() const;
  const TensorView* find(std::string_view name) const;  ///< null when there is none

 private:
  struct State;
  explicit CheckpointFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
