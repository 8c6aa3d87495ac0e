#include "core/corpus/indexed_dataset_writer.h"

#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/id_type.h"
#include "core/io/atomic_file.h"

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
  std::vector<int32_t> lengths;
  std::string sentence;  // kept for its capacity

  State(std::string given, int64_t size)
      : prefix(std::move(given)), vocabulary(size), type(id_type_for(size)), ids(prefix + ".bin") {}

  std::string index_text() const;
};

std::string IndexedDatasetWriter::State::index_text() const {
  std::string text(kIndexMagic);
  text.reserve(kIndexHeaderBytes + kIndexEntryBytes * lengths.size());
  append(text, kIndexVersion);
  append(text, static_cast<uint8_t>(type));
  append(text, static_cast<uint64_t>(lengths.size()));
  for (const int32_t length : lengths) append(text, length);
  int64_t id_bytes = 0;
  with_id_type(type, [&](auto id) { id_bytes = sizeof id; });
  int64_t offset = 0;
  for (const int32_t length : lengths) {
    append(text, offset);
    offset += length * id_bytes;
  }
  return text;
}

IndexedDatasetWriter::IndexedDatasetWriter(std::string prefix, int64_t vocabulary)
    : state_(new State(std::move(prefix), vocabulary)) {}

IndexedDatasetWriter::~IndexedDatasetWriter() = default;

void IndexedDatasetWriter::add(std::span<const int64_t> ids) {
  const size_t number = state_->lengths.size() + 1;
  if (ids.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw DataError(
        fmt::format("{}: sentence {} has {} ids, more than an index can store (31 bits)",
                    state_->prefix,
                    number,
                    ids.size()));
  }
  state_->sentence.clear();
  with_id_type(state_->type, [&](auto zero) {
    for (const int64_t id : ids) {
      if (id < 0 || id >= state_->vocabulary) {
        throw DataError(fmt::format(
            "{}: sentence {} contains the id {}, but the largest id of the dictionary is {}",
            state_->prefix,
            number,
            id,
            state_->vocabulary - 1));
      }
      append(state_->sentence, static_cast<decltype(zero)>(id));
    }
  });
  state_->ids.write(state_->sentence);
  state_->lengths.push_back(static_cast<int32_t>(ids.size()));
}

void IndexedDatasetWriter::commit() {
  // An old index must not exist next to the new ids, not even for a moment.
  std::error_code problem;
  std::filesystem::remove(state_->prefix + ".idx", problem);
  if (problem)
    throw IoError(state_->prefix + ".idx", "remove", problem.value());
  state_->ids.commit();
  write_file(state_->prefix + ".idx", state_->index_text());
}

}  // namespace phraseq
