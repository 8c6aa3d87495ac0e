#include "core/corpus/indexed_dataset.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/id_type.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

/// Sentences, or ids, between two releases of the memory in a pass over all.
constexpr uint64_t kReleaseInterval = 1 << 16;
constexpr uint64_t kMostIdBytes = uint64_t{1} << 62;

/// Unaligned: the arrays of an index start at byte 26.
template <class Value>
Value load(const std::byte* data) {
  Value value{};
  std::memcpy(&value, data, sizeof value);
  return value;
}

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.size()};
}

[[noreturn]] void reject(const MappedFile& file, const std::string& what) {
  throw FormatError(fmt::format("{}: {}", file.path(), what), kPreprocessAgain);
}

/// The checksum of a file, computed once.
class ContentSum {
 public:
  uint32_t of(const MappedFile& file) {
    std::call_once(computed_, [&] { sum_ = file.crc32c(); });
    return sum_;
  }

 private:
  std::once_flag computed_;
  uint32_t sum_ = 0;
};

void require_unchanged_file(const MappedFile& file, ContentSum& sum) {
  if (!file.is_rewritten() || file.crc32c() == sum.of(file))
    return;
  throw FormatError(file.path() + ": the content has changed since the file was opened",
                    "Files in use may be replaced by a rename, but not rewritten. Restore the file "
                    "and run the command again.");
}

}  // namespace

struct IndexedDataset::State {
  std::string prefix;
  MappedFile index;
  MappedFile ids;
  IdType type{};
  size_t id_bytes = 0;
  uint64_t sentences = 0;
  ContentSum index_sum, ids_sum;

  explicit State(const std::string& given)
      : prefix(given), index(given + ".idx"), ids(given + ".bin") {
    check_header();
    check_lengths();
  }

  int32_t length(uint64_t sentence) const {
    return load<int32_t>(index.bytes().data() + kIndexHeaderBytes + 4 * sentence);
  }
  int64_t offset(uint64_t sentence) const {
    return load<int64_t>(index.bytes().data() + kIndexHeaderBytes + 4 * sentences + 8 * sentence);
  }
  void check_header();
  void check_magic() const;
  void check_sizes() const;
  void check_lengths() const;
  void check_id_bytes(uint64_t promised) const;
  uint64_t largest_as_unsigned() const;
  uint64_t checked(int64_t sentence) const;
};

void IndexedDataset::State::check_magic() const {
  const std::string_view text = text_of(index);
  if (text.starts_with("TNTIDX"))
    reject(index, "fairseq's old 'cached' or 'lazy' format; expected mmap");
  if (!text.starts_with(kIndexMagic)) {
    reject(index,
           fmt::format("not an index: starts with {}, expected {}",
                       escape_bytes(text.substr(0, kIndexMagic.size())),
                       escape_bytes(kIndexMagic)));
  }
  if (text.size() < kIndexHeaderBytes) {
    reject(index, fmt::format("{} bytes, expected at least {}", text.size(), kIndexHeaderBytes));
  }
}

void IndexedDataset::State::check_header() {
  check_magic();
  const std::byte* data = index.bytes().data();
  const auto version = load<uint64_t>(data + 9);
  if (version != kIndexVersion) {
    reject(index, fmt::format("version {}, this program reads version {}", version, kIndexVersion));
  }
  type = static_cast<IdType>(load<uint8_t>(data + 17));
  if (!with_id_type(type, [this](auto id) { id_bytes = sizeof id; })) {
    reject(index,
           fmt::format("type code {}, expected 1 to 5 or 8 to 10", load<uint8_t>(data + 17)));
  }
  sentences = load<uint64_t>(data + 18);
  check_sizes();
}

void IndexedDataset::State::check_sizes() const {
  const std::string_view text = text_of(index);
  const size_t entries = text.size() - kIndexHeaderBytes;
  if (entries % kIndexEntryBytes != 0 || entries / kIndexEntryBytes != sentences) {
    reject(index,
           fmt::format("{} bytes, expected {} + {} for each of {} sentences",
                       text.size(),
                       kIndexHeaderBytes,
                       kIndexEntryBytes,
                       sentences));
  }
}

void IndexedDataset::State::check_lengths() const {
  uint64_t promised = 0;
  for (uint64_t sentence = 0; sentence < sentences; ++sentence) {
    if (length(sentence) < 0) {
      reject(index, fmt::format("sentence {} has {} ids", sentence + 1, length(sentence)));
    }
    if (static_cast<uint64_t>(offset(sentence)) != promised) {
      reject(index,
             fmt::format("sentence {} starts at byte {}, expected {}",
                         sentence + 1,
                         offset(sentence),
                         promised));
    }
    promised += static_cast<uint64_t>(length(sentence)) * id_bytes;
    if (promised > kMostIdBytes)
      reject(index, fmt::format("more ids than fit in a file, up to sentence {}", sentence + 1));
    if (sentence % kReleaseInterval == 0)
      index.release();
  }
  index.release();
  check_id_bytes(promised);
}

void IndexedDataset::State::check_id_bytes(uint64_t promised) const {
  if (promised == ids.size())
    return;
  reject(ids,
         fmt::format("{} bytes, but {} requires {} bytes; the {}",
                     ids.size(),
                     index.path(),
                     promised,
                     ids.size() < promised ? "first is truncated or belongs to another index"
                                           : "first belongs to another index, or was modified"));
}

/// The largest id, where a negative one counts as larger than any other: one pass, no sentences. 0
/// in a corpus without ids.
uint64_t IndexedDataset::State::largest_as_unsigned() const {
  uint64_t largest = 0;
  with_id_type(type, [&](auto id) {
    using Id = decltype(id);
    constexpr size_t kWindow = kReleaseInterval * sizeof(Id);
    for (size_t begin = 0; begin < ids.size(); begin += kWindow) {
      const std::byte* data = ids.bytes().data() + begin;
      const std::byte* end = data + std::min(kWindow, ids.size() - begin);
      for (; data != end; data += sizeof(Id))
        largest = std::max(largest, static_cast<uint64_t>(static_cast<int64_t>(load<Id>(data))));
      ids.release();
    }
  });
  return largest;
}

uint64_t IndexedDataset::State::checked(int64_t sentence) const {
  if (sentence < 0 || static_cast<uint64_t>(sentence) >= sentences) {
    throw DataError(fmt::format(
        "{}: sentence {} does not exist; the file has {}", prefix, sentence + 1, sentences));
  }
  return static_cast<uint64_t>(sentence);
}

std::string indexed_prefix(const std::string& folder,
                           const std::string& split,
                           const std::string& source,
                           const std::string& target,
                           const std::string& language) {
  if (language.empty())
    return fmt::format("{}/{}", folder, split);
  return fmt::format("{}/{}.{}-{}.{}", folder, split, source, target, language);
}

std::string alignments_prefix(const std::string& folder,
                              const std::string& split,
                              const std::string& source,
                              const std::string& target) {
  return fmt::format("{}/{}.align.{}-{}", folder, split, source, target);
}

std::string trees_prefix(const std::string& text_prefix) { return text_prefix + ".trees"; }

IndexedDataset IndexedDataset::open(const std::string& prefix) {
  return IndexedDataset(std::make_unique<State>(prefix));
}

bool IndexedDataset::exists(const std::string& prefix) {
  return std::filesystem::exists(prefix + ".idx") && std::filesystem::exists(prefix + ".bin");
}

IndexedDataset::IndexedDataset(std::unique_ptr<State> state) : state_(std::move(state)) {}
IndexedDataset::~IndexedDataset() = default;
IndexedDataset::IndexedDataset(IndexedDataset&&) noexcept = default;

int64_t IndexedDataset::size() const { return static_cast<int64_t>(state_->sentences); }

int64_t IndexedDataset::length(int64_t index) const {
  return state_->length(state_->checked(index));
}

std::vector<int64_t> IndexedDataset::get(int64_t index) const {
  const uint64_t sentence = state_->checked(index);
  std::vector<int64_t> ids(static_cast<size_t>(state_->length(sentence)));
  const std::byte* data = state_->ids.bytes().data() + state_->offset(sentence);
  with_id_type(state_->type, [&](auto id) {
    for (int64_t& target : ids) {
      target = static_cast<int64_t>(load<decltype(id)>(data));
      data += sizeof id;
    }
  });
  return ids;
}

int64_t IndexedDataset::tokens() const {
  return static_cast<int64_t>(state_->ids.size() / state_->id_bytes);
}

uint32_t IndexedDataset::fingerprint() const { return state_->index_sum.of(state_->index); }
uint32_t IndexedDataset::ids_fingerprint() const { return state_->ids_sum.of(state_->ids); }

void IndexedDataset::require_unchanged() const {
  require_unchanged_file(state_->index, state_->index_sum);
  require_unchanged_file(state_->ids, state_->ids_sum);
}

void IndexedDataset::release() const {
  state_->index.release();
  state_->ids.release();
}

const std::string& IndexedDataset::prefix() const { return state_->prefix; }

void IndexedDataset::check_ids(int64_t vocabulary) const {
  if (vocabulary > 0 && state_->largest_as_unsigned() < static_cast<uint64_t>(vocabulary))
    return;
  for (int64_t sentence = 0; sentence < size(); ++sentence) {
    for (const int64_t id : get(sentence)) {
      if (id >= 0 && id < vocabulary)
        continue;
      throw DataError(
          fmt::format(
              "{}.bin: sentence {} contains the id {}, but the largest id of the dictionary is {}",
              state_->prefix,
              sentence + 1,
              id,
              vocabulary - 1),
          "Is this the dictionary that was used to binarize the data?");
    }
  }
}

}  // namespace phraseq
