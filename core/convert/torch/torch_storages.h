#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/convert/torch/zip_archive.h"

namespace phraseq {

/// The element type of "torch.FloatStorage" and the like; nothing for other names.
PHRASEQ_API std::optional<DType> storage_dtype(std::string_view name);

/// Where the bytes of a torch file's storages are, by their key.
class PHRASEQ_API TorchStorages {
 public:
  virtual ~TorchStorages() = default;
  /// Throws FormatError if there is no such storage or it does not have this many bytes.
  virtual std::span<const std::byte> find(const std::string& key, uint64_t bytes) const = 0;
};

/// In the ZIP layout: entries FOLDER/data/KEY.
class PHRASEQ_API ZipStorages final : public TorchStorages {
 public:
  ZipStorages(const ZipArchive& archive, std::string folder, std::string path)
      : archive_(archive), folder_(std::move(folder)), path_(std::move(path)) {}
  std::span<const std::byte> find(const std::string& key, uint64_t bytes) const override;

 private:
  const ZipArchive& archive_;
  std::string folder_;
  std::string path_;
};

/// In the older layout: one after the other after the pickles, in the order of the list of keys,
/// each preceded by its number of elements. Only the references to a storage tell how large its
/// elements are: `sizes` has the bytes of each key.
class PHRASEQ_API SequentialStorages final : public TorchStorages {
 public:
  SequentialStorages(std::span<const std::byte> bytes,
                     const std::vector<std::string>& keys,
                     const std::map<std::string, size_t>& element_sizes,
                     std::string path);
  std::span<const std::byte> find(const std::string& key, uint64_t bytes) const override;

 private:
  std::map<std::string, std::span<const std::byte>> storages_;
  std::string path_;
};

}  // namespace phraseq
