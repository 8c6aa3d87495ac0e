#include "core/corpus/indexed_dataset_writer.h"

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/id_type.h"
#include "core/io/atomic_file.h"
#include "core/io/spill_file.h"

namespace phraseq {
namespace {

template <class Value>
void append(std::string& text, Value value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

struct IndexedDatasetWriter::State {
  std::string prefix;
  int64_t vocabulary;
  IdType type;
  AtomicFile ids;
  SpillFile lengths;  // of all sentences: the index needs their number first
  uint64_t sentences = 0;
  std::string sentence;  // kept for its capacity

  State(std::string given, int64_t size)
      : prefix(std::move(given)),
        vocabulary(size),
        type(id_type_for(size)),
        ids(prefix + ".bin"),
        lengths(prefix + ".idx") {}

  /// Fills `sentence` with the bytes of the ids. Throws DataError for one outside the vocabulary.
  void encode(std::span<const int64_t> sentence_ids);
  [[noreturn]] void reject(int64_t id) const;
  /// Calls `use` with the lengths of the next sentences, up to the end.
  template <class Use>
  void for_lengths(const Use& use);
  void write_index();
};

void IndexedDatasetWriter::State::encode(std::span<const int64_t> sentence_ids) {
  sentence.clear();
  with_id_type(type, [&](auto zero) {
    for (const int64_t id : sentence_ids) {
      if (id < 0 || id >= vocabulary)
        reject(id);
      append(sentence, static_cast<decltype(zero)>(id));
    }
  });
}

void IndexedDatasetWriter::State::reject(int64_t id) const {
  throw DataError(
      fmt::format("{}: sentence {} contains the id {}, but the largest id of the dictionary is {}",
                  prefix,
                  sentences + 1,
                  id,
                  vocabulary - 1));
}

template <class Use>
void IndexedDatasetWriter::State::for_lengths(const Use& use) {
  constexpr size_t kSentences = 1 << 16;
  std::vector<int32_t> some(kSentences);
  lengths.rewind();
  while (const size_t got = lengths.read(std::as_writable_bytes(std::span(some))))
    use(std::span<const int32_t>(some.data(), got / sizeof(int32_t)));
}

void IndexedDatasetWriter::State::write_index() {
  AtomicFile index(prefix + ".idx", kIndexHeaderBytes + kIndexEntryBytes * sentences);
  std::string text(kIndexMagic);
  append(text, kIndexVersion);
  append(text, static_cast<uint8_t>(type));
  append(text, sentences);
  index.write(text);
  for_lengths([&](std::span<const int32_t> some) { index.write(std::as_bytes(some)); });
  int64_t id_bytes = 0;
  with_id_type(type, [&](auto id) { id_bytes = sizeof id; });
  int64_t offset = 0;
  for_lengths([&](std::span<const int32_t> some) {
    text.clear();
    for (const int32_t length : some) {
      append(text, offset);
      offset += length * id_bytes;
    }
    index.write(text);
  });
  index.commit();
}

IndexedDatasetWriter::IndexedDatasetWriter(std::string prefix, int64_t vocabulary)
    : state_(new State(std::move(prefix), vocabulary)) {}

IndexedDatasetWriter::~IndexedDatasetWriter() = default;

void IndexedDatasetWriter::add(std::span<const int64_t> ids) {
  if (ids.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw DataError(
        fmt::format("{}: sentence {} has {} ids, more than an index can store (31 bits)",
                    state_->prefix,
                    state_->sentences + 1,
                    ids.size()));
  }
  state_->encode(ids);
  state_->ids.write(state_->sentence);
  const auto length = static_cast<int32_t>(ids.size());
  state_->lengths.write(std::as_bytes(std::span(&length, 1)));
  ++state_->sentences;
}

void IndexedDatasetWriter::commit() {
  // An old index must not exist next to the new ids, not even for a moment.
  std::error_code problem;
  std::filesystem::remove(state_->prefix + ".idx", problem);
  if (problem)
    throw IoError(state_->prefix + ".idx", "remove", problem.value());
  state_->ids.commit();
  state_->write_index();
}

}  // namespace phraseq
