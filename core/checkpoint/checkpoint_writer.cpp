#include "core/checkpoint/checkpoint_writer.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_pointer.h"
#include "core/checkpoint/safetensors/safetensors_header.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

void check_metadata(const std::map<std::string, std::string>& metadata) {
  for (const auto& [name, text] : metadata) {
    if (name.starts_with(kReservedPrefix)) {
      throw std::invalid_argument("checkpoint metadata '" + name +
                                  "': the name is reserved by the format");
    }
  }
}

void check_tensors(const std::vector<const TensorView*>& by_name) {
  for (size_t i = 0; i < by_name.size(); ++i) {
    const TensorView& tensor = *by_name[i];
    const bool twice = i > 0 && by_name[i - 1]->name == tensor.name;
    if (twice || tensor.name == "__metadata__") {
      throw std::invalid_argument("checkpoint tensor '" + tensor.name +
                                  "': the name is already used");
    }
    const bool negative =
        std::ranges::any_of(tensor.shape, [](int64_t extent) { return extent < 0; });
    if (negative ||
        tensor.bytes.size() != static_cast<size_t>(tensor.elements()) * size_of(tensor.dtype)) {
      throw std::invalid_argument("checkpoint tensor '" + tensor.name +
                                  "': the number of bytes does not match the shape");
    }
  }
}

/// Devices and pipes are not read: they cannot be pointers.
bool is_pointer(const std::string& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem))
    return false;
  try {
    return read_pointer(path).has_value();
  } catch (const FormatError&) {
    return false;
  }
}

std::vector<const TensorView*> sorted_by_name(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> sorted;
  for (const auto& tensor : tensors) sorted.push_back(&tensor);
  std::ranges::sort(
      sorted, {}, [](const TensorView* tensor) { return std::string_view(tensor->name); });
  return sorted;
}

/// Whole cache lines first, so that each of them begins at one; then the widest elements first, so
/// that every tensor is aligned to its own element size without gaps.
void order_for_alignment(std::vector<const TensorView*>& by_name) {
  std::ranges::stable_sort(by_name, std::greater<>(), [](const TensorView* tensor) {
    return std::pair(tensor->bytes.size() % kDataAlignment == 0, size_of(tensor->dtype));
  });
}

std::string tensor_checksums(const std::vector<const TensorView*>& tensors) {
  auto checksums = nlohmann::json::object();
  for (const auto* tensor : tensors) checksums[tensor->name] = crc32c_text(crc32c(tensor->bytes));
  return checksums.dump();
}

/// The header's text with its own checksum filled in.
std::string sealed_header(const std::map<std::string, std::string>& metadata,
                          const std::vector<const TensorView*>& tensors) {
  SafetensorsHeader header;
  header.metadata = metadata;
  header.metadata[kFormatVersionKey] = std::to_string(kCheckpointFormatVersion);
  header.metadata[kWriterVersionKey] = PHRASEQ_VERSION;
  header.metadata[kTensorChecksumsKey] = tensor_checksums(tensors);
  header.metadata[kHeaderChecksumKey] = kNoChecksum;
  uint64_t end = 0;
  for (const auto* tensor : tensors) {
    const uint64_t begin = end;
    end += tensor->bytes.size();
    header.tensors.push_back({tensor->name, tensor->dtype, tensor->shape, begin, end});
  }
  std::string text = header_text(header);
  const size_t digits = find_header_checksum(text);
  return text.replace(digits, kNoChecksum.size(), crc32c_text(header_checksum(text, digits)));
}

/// The header of the checkpoint at `path`. Throws UsageError if a reader would refuse it.
std::string readable_header(const std::string& path,
                            const std::map<std::string, std::string>& metadata,
                            const std::vector<const TensorView*>& tensors) {
  std::string header;
  try {
    header = sealed_header(metadata, tensors);
  } catch (const nlohmann::json::type_error&) {
    throw UsageError(fmt::format("{}: a name or text in the checkpoint is not valid UTF-8", path),
                     "File names and option values recorded in a checkpoint must be valid UTF-8.");
  }
  if (header.size() > kMaxHeaderBytes) {
    throw UsageError(fmt::format(
        "{}: the header of the checkpoint would have {} bytes; the limit for reading is {}",
        path,
        header.size(),
        kMaxHeaderBytes));
  }
  return header;
}

}  // namespace

void write_checkpoint(const std::string& path,
                      const std::map<std::string, std::string>& metadata,
                      std::span<const TensorView> tensors) {
  check_metadata(metadata);
  auto ordered = sorted_by_name(tensors);
  check_tensors(ordered);
  order_for_alignment(ordered);

  const std::string header = readable_header(path, metadata, ordered);
  uint64_t size = kHeaderLengthBytes + header.size();
  for (const auto* tensor : ordered) size += tensor->bytes.size();

  AtomicFile file(path, size);
  file.write(length_bytes(header.size()));
  file.write(header);
  for (const auto* tensor : ordered) file.write(tensor->bytes);
  file.commit();
}

void check_not_a_pointer(const std::string& path) {
  if (is_pointer(path)) {
    throw UsageError(fmt::format("{}: is a pointer of a training run, which would be lost", path),
                     "Write to another file.");
  }
}

void check_new_checkpoint(const std::string& path, std::span<const std::string> inputs) {
  if (path == "-")
    throw UsageError("-: a checkpoint cannot be written to standard output", "Name a file.");
  check_target(path);
  check_not_a_pointer(path);
  check_not_an_input(path, {inputs.begin(), inputs.end()});
}

}  // namespace phraseq
