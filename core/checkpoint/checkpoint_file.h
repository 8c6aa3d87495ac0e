#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// A checkpoint opened for reading. Opening verifies, in this order: size, header length, JSON,
/// dtypes and shapes without overflow, offsets contiguous and covering the file, format version,
/// every checksum. Each defect is a FormatError naming the file and the header or tensor. The
/// content is mapped once; views stay valid as long as the object, even if it is moved.
class PHRASEQ_API CheckpointFile {
 public:
  /// `verify_tensors` = false leaves the tensors' checksums to a later `verify_tensors()`. A plain
  /// safetensors file from elsewhere (without phraseq metadata) can also be opened: `is_foreign()`.
  static CheckpointFile open(const std::string& path, bool verify_tensors = true);
  ~CheckpointFile();
  CheckpointFile(CheckpointFile&&) noexcept;
  CheckpointFile& operator=(CheckpointFile&&) noexcept;

  /// Compares every tensor with its checksum; a foreign file has none to compare. Throws
  /// FormatError.
  void verify_tensors() const;

  const std::string& path() const;
  bool is_foreign() const;
  /// Version of phraseq that wrote the file; empty for a foreign one.
  const std::string& writer_version() const;
  /// The header's checksum, eight digits. It covers the tensors' checksums and so names the content
  /// of the whole file; empty for a foreign one.
  const std::string& fingerprint() const;

  /// What the writer was given, without the format's own entries.
  const std::map<std::string, std::string>& metadata() const;
  /// Throws FormatError if the entry is missing.
  const std::string& metadata(std::string_view key) const;
  /// An entry that is JSON. Throws FormatError when it is missing or not JSON.
  nlohmann::json metadata_json(std::string_view key) const;
  /// The place of an entry for messages: "FILE: the metadata entry 'KEY'".
  std::string metadata_place(std::string_view key) const;
  /// In the order of their data in the file.
  const std::vector<TensorView>& tensors() const;
  const TensorView* find(std::string_view name) const;  ///< null when there is none

  /// Keeps the tensors' memory alive after the object is destroyed. Writing to it does not change
  /// the file.
  std::shared_ptr<void> memory() const;

 private:
  struct State;
  explicit CheckpointFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
