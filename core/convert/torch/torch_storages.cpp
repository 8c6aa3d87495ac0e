#include "core/convert/torch/torch_storages.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 10> kStorages = {
    {{"torch.FloatStorage", DType::kF32},
     {"torch.DoubleStorage", DType::kF64},
     {"torch.HalfStorage", DType::kF16},
     {"torch.BFloat16Storage", DType::kBF16},
     {"torch.LongStorage", DType::kI64},
     {"torch.IntStorage", DType::kI32},
     {"torch.ShortStorage", DType::kI16},
     {"torch.CharStorage", DType::kI8},
     {"torch.ByteStorage", DType::kU8},
     {"torch.BoolStorage", DType::kBool}}};

std::span<const std::byte> of_size(std::span<const std::byte> storage,
                                   uint64_t bytes,
                                   const std::string& key,
                                   const std::string& path) {
  if (storage.size() == bytes)
    return storage;
  throw FormatError(fmt::format("{}: storage '{}' has {} bytes, its tensors expect {}",
                                path,
                                excerpt(key),
                                storage.size(),
                                bytes));
}

}  // namespace

std::optional<DType> storage_dtype(std::string_view name) {
  for (const auto& [known, dtype] : kStorages) {
    if (known == name)
      return dtype;
  }
  return std::nullopt;
}

std::span<const std::byte> ZipStorages::find(const std::string& key, uint64_t bytes) const {
  return of_size(archive_.read(folder_ + "/data/" + key), bytes, key, path_);
}

SequentialStorages::SequentialStorages(std::span<const std::byte> bytes,
                                       const std::vector<std::string>& keys,
                                       const std::map<std::string, size_t>& element_sizes,
                                       std::string path)
    : path_(std::move(path)) {
  for (const std::string& key : keys) {
    uint64_t count = 0;
    if (bytes.size() < sizeof(count))
      throw FormatError(fmt::format("{}: the file ends before storage '{}'", path_, excerpt(key)));
    for (size_t i = sizeof(count); i-- > 0;)
      count = count << 8 | std::to_integer<uint64_t>(bytes[i]);
    bytes = bytes.subspan(sizeof(count));
    const auto element = element_sizes.find(key);
    if (element == element_sizes.end())
      throw FormatError(fmt::format("{}: nothing refers to storage '{}'", path_, excerpt(key)));
    if (count > bytes.size() / element->second) {
      throw FormatError(fmt::format(
          "{}: the file ends within storage '{}' of {} elements", path_, excerpt(key), count));
    }
    const size_t size = static_cast<size_t>(count) * element->second;
    storages_[key] = bytes.first(size);
    bytes = bytes.subspan(size);
  }
}

std::span<const std::byte> SequentialStorages::find(const std::string& key, uint64_t bytes) const {
  const auto found = storages_.find(key);
  if (found == storages_.end())
    throw FormatError(fmt::format("{}: there is no storage '{}'", path_, excerpt(key)));
  return of_size(found->second, bytes, key, path_);
}

}  // namespace phraseq
