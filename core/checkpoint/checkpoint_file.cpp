#include "core/checkpoint/checkpoint_file.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/safetensors/safetensors_header.h"
#include "core/io/crc32c.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kDamagedHint =
    "The file was damaged after it was written: copy it again, or use another checkpoint.";
constexpr const char* kRewrittenHint =
    "Another program rewrote the file, or it was damaged after it was written. A program that "
    "rewrites it leaves out the metadata entries that begin with 'phraseq.'; phraseq "
    "replace-tensors puts new tensors into a checkpoint.";

[[noreturn]] void header_defect(const std::string& path,
                                std::string_view what,
                                std::string_view hint = {}) {
  throw FormatError(fmt::format("{}: header {}", path, what), hint);
}

/// Whether the file begins as torch.save writes: a zip archive, or (before PyTorch 1.6) a pickle.
bool is_of_torch(std::span<const std::byte> file) {
  const std::string_view start(reinterpret_cast<const char*>(file.data()),
                               std::min<size_t>(file.size(), 4));
  return start == "PK\x03\x04" || start.starts_with("\x80\x02");
}

std::string kind_hint(std::span<const std::byte> file, const std::string& path) {
  if (!is_of_torch(file))
    return "The file is not a checkpoint, or it is damaged.";
  const std::string result = std::filesystem::path(path).replace_extension(".safetensors").string();
  return fmt::format(
      "The file begins like the .pt, .ckpt or .npz file of another toolkit. Convert such a model "
      "once, with phraseq import {} {} (for fairseq, also --data DATA-BIN), and then use {}.",
      path,
      result,
      result);
}

/// The header's text, after the checks that make it safe to parse.
std::string_view find_header(std::span<const std::byte> file, const std::string& path) {
  if (file.size() < kHeaderLengthBytes) {
    throw FormatError(
        fmt::format("{}: the file has {} bytes; the length of the header alone takes {}",
                    path,
                    file.size(),
                    kHeaderLengthBytes),
        "The file is truncated.");
  }
  const uint64_t length = read_length(file);
  const uint64_t rest = file.size() - kHeaderLengthBytes;
  if (length > kMaxHeaderBytes) {
    header_defect(path,
                  fmt::format("claims {} bytes; at most {} are allowed", length, kMaxHeaderBytes),
                  kind_hint(file, path));
  }
  if (length > rest) {
    header_defect(path,
                  fmt::format("claims {} bytes, but the file has {} left", length, rest),
                  kind_hint(file, path));
  }
  return {reinterpret_cast<const char*>(file.data()) + kHeaderLengthBytes, length};
}

/// Removes an entry that belongs to the format from the metadata and returns its text.
std::string take_entry(SafetensorsHeader& header, const char* key, const std::string& path) {
  const auto node = header.metadata.extract(key);
  if (node.empty())
    header_defect(path, fmt::format("has no entry '{}'", key), kDamagedHint);
  return node.mapped();
}

void check_version(const std::string& version, const std::string& writer, const std::string& path) {
  const int number = number_in<int>(version).value_or(0);
  if (number < 1) {
    header_defect(
        path, fmt::format("has the invalid format version {}", in_quotes(version)), kDamagedHint);
  }
  if (number > kCheckpointFormatVersion) {
    header_defect(path,
                  fmt::format("has checkpoint format {}, written by phraseq {}; this is phraseq "
                              "{}, which reads formats up to {}",
                              number,
                              in_quotes(writer),
                              PHRASEQ_VERSION,
                              kCheckpointFormatVersion),
                  "Use the newer version of phraseq.");
  }
}

void check_header_checksum(std::string_view header,
                           const std::string& recorded,
                           const std::string& path) {
  const size_t digits = find_header_checksum(header);
  if (digits == std::string_view::npos || header.substr(digits, kNoChecksum.size()) != recorded) {
    header_defect(path,
                  "does not contain its checksum in the form in which phraseq writes it",
                  kRewrittenHint);
  }
  const std::string found = crc32c_text(header_checksum(header, digits));
  if (found != recorded) {
    header_defect(path,
                  fmt::format("has the checksum {}, expected the recorded {}", found, recorded),
                  kRewrittenHint);
  }
}

using Checksums = std::map<std::string, std::string, std::less<>>;

/// A JSON object of strings. Nesting is rejected while parsing: as a document it could take many
/// times the memory of its text.
Checksums parse_table(const std::string& text) {
  const auto reject_nesting = [](int depth, json::parse_event_t event, const json&) {
    using Event = json::parse_event_t;
    if (depth > 0 && (event == Event::object_start || event == Event::array_start)) {
      throw json::other_error::create(501, "nested", nullptr);
    }
    return true;
  };
  return json::parse(text, reject_nesting).get<Checksums>();
}

/// Tensor name → recorded checksum; exactly the tensors of the header.
Checksums parse_tensor_checksums(const std::string& text,
                                 const std::vector<HeaderTensor>& tensors,
                                 const std::string& path) {
  Checksums checksums;
  try {
    checksums = parse_table(text);
  } catch (const json::exception&) {
    header_defect(
        path,
        fmt::format("has an entry '{}' that is not a table of checksums", kTensorChecksumsKey),
        kDamagedHint);
  }
  for (const auto& tensor : tensors) {
    if (!checksums.contains(tensor.name)) {
      header_defect(
          path, fmt::format("has no checksum for tensor {}", in_quotes(tensor.name)), kDamagedHint);
    }
  }
  if (checksums.size() != tensors.size()) {
    header_defect(path, "has checksums of tensors that do not exist", kDamagedHint);
  }
  return checksums;
}

}  // namespace

struct CheckpointFile::State {
  explicit State(const std::string& name)
      : path(name), file(std::make_shared<MappedFile>(name, MappedUse::kChanging)) {}

  std::string path;
  std::shared_ptr<MappedFile> file;
  std::string writer_version;
  std::string fingerprint;
  std::map<std::string, std::string> metadata;
  std::vector<TensorView> tensors;
  std::unordered_map<std::string_view, size_t> by_name;
  Checksums checksums;

  /// Reads what the format adds to safetensors out of the header; leaves a foreign file alone.
  void read_own_entries(SafetensorsHeader& header, std::string_view text) {
    const auto own = header.metadata.lower_bound(kReservedPrefix);
    if (own == header.metadata.end() || !own->first.starts_with(kReservedPrefix))
      return;
    writer_version = take_entry(header, kWriterVersionKey, path);
    check_version(take_entry(header, kFormatVersionKey, path), writer_version, path);
    fingerprint = take_entry(header, kHeaderChecksumKey, path);
    check_header_checksum(text, fingerprint, path);
    checksums =
        parse_tensor_checksums(take_entry(header, kTensorChecksumsKey, path), header.tensors, path);
  }

  void make_views(std::vector<HeaderTensor> found, std::span<const std::byte> data) {
    for (auto& tensor : found) {
      tensors.push_back({std::move(tensor.name),
                         tensor.dtype,
                         std::move(tensor.shape),
                         data.subspan(tensor.begin, tensor.end - tensor.begin)});
    }
    for (size_t i = 0; i < tensors.size(); ++i) by_name.emplace(tensors[i].name, i);
  }
};

CheckpointFile CheckpointFile::open(const std::string& path, bool verify_tensors) {
  auto state = std::make_unique<State>(path);
  const auto bytes = state->file->bytes();
  const std::string_view text = find_header(bytes, path);
  const auto data = bytes.subspan(kHeaderLengthBytes + text.size());
  SafetensorsHeader header = parse_header(text, data.size(), path);
  state->read_own_entries(header, text);
  state->metadata = std::move(header.metadata);
  state->make_views(std::move(header.tensors), data);
  CheckpointFile file(std::move(state));
  if (verify_tensors)
    file.verify_tensors();
  return file;
}

CheckpointFile::CheckpointFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointFile::~CheckpointFile() = default;
CheckpointFile::CheckpointFile(CheckpointFile&&) noexcept = default;
CheckpointFile& CheckpointFile::operator=(CheckpointFile&&) noexcept = default;

void CheckpointFile::verify_tensors() const {
  if (is_foreign())
    return;
  for (const auto& tensor : state_->tensors) {
    const std::string found = crc32c_text(crc32c(tensor.bytes));
    const std::string& recorded = state_->checksums.find(tensor.name)->second;
    if (found == recorded)
      continue;
    throw FormatError(fmt::format("{}: tensor {} has the checksum {}, expected the recorded {}",
                                  path(),
                                  in_quotes(tensor.name),
                                  found,
                                  in_quotes(recorded)),
                      kDamagedHint);
  }
}

const std::string& CheckpointFile::path() const { return state_->path; }
bool CheckpointFile::is_foreign() const { return state_->fingerprint.empty(); }
const std::string& CheckpointFile::writer_version() const { return state_->writer_version; }
const std::string& CheckpointFile::fingerprint() const { return state_->fingerprint; }
const std::map<std::string, std::string>& CheckpointFile::metadata() const {
  return state_->metadata;
}
const std::vector<TensorView>& CheckpointFile::tensors() const { return state_->tensors; }

std::shared_ptr<void> CheckpointFile::memory() const { return state_->file; }

const std::string& CheckpointFile::metadata(std::string_view key) const {
  const auto found = state_->metadata.find(std::string(key));
  if (found == state_->metadata.end()) {
    header_defect(
        path(),
        fmt::format("has no entry {}", in_quotes(key)),
        is_foreign()
            ? "This is a plain safetensors file, not a phraseq checkpoint; see phraseq import."
            : "");
  }
  return found->second;
}

nlohmann::json CheckpointFile::metadata_json(std::string_view key) const {
  return parse_json(metadata(key), metadata_place(key));
}

std::string CheckpointFile::metadata_place(std::string_view key) const {
  return fmt::format("{}: the metadata entry '{}'", path(), key);
}

const TensorView* CheckpointFile::find(std::string_view name) const {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : &state_->tensors[found->second];
}

}  // namespace phraseq
