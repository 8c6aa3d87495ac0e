#include "plugins/data_loaders/text/text_side.h"

#include <algorithm>
#include <future>
#include <span>
#include <thread>
#include <utility>

#include "core/base/random.h"
#include "core/io/crc32c.h"
#include "core/io/line_reader.h"

namespace phraseq {
namespace {

constexpr size_t kLinesWorthAThread = 2000;

/// The ids of a chunk of lines, concatenated.
struct Chunk {
  std::vector<int32_t> ids;
  std::vector<int64_t> lengths;
};

/// Encodes consecutive lines, of which the first is line `first` of the file.
Chunk encode_chunk(std::span<const std::string> lines,
                   size_t first,
                   const TextSide::Encode& encode,
                   std::optional<uint64_t> seed) {
  Chunk chunk;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto line_seed = seed ? std::optional(mix_seeds(*seed, first + i)) : std::nullopt;
    const std::vector<int64_t> ids = encode(lines[i], static_cast<int64_t>(first + i), line_seed);
    chunk.lengths.push_back(static_cast<int64_t>(ids.size()));
    for (const int64_t id : ids) chunk.ids.push_back(static_cast<int32_t>(id));
  }
  return chunk;
}

/// The number of lines in each chunk.
size_t chunk_size(size_t lines) {
  const size_t threads = std::max(1U, std::thread::hardware_concurrency());
  return std::max(kLinesWorthAThread, (lines + threads - 1) / threads);
}

uint32_t checksum_of(const std::vector<std::string>& lines) {
  uint32_t sum = 0;
  for (const std::string& line : lines) {
    sum = crc32c(std::as_bytes(std::span(line)), sum);
    sum = crc32c(std::as_bytes(std::span("\n", 1)), sum);
  }
  return sum;
}

}  // namespace

TextSide::TextSide(const std::string& path, Encode encode)
    : path_(path),
      encode_(std::move(encode)),
      lines_(read_lines(path)),
      size_(static_cast<int64_t>(lines_.size())),
      checksum_(checksum_of(lines_)) {}

void TextSide::encode_all(std::optional<uint64_t> seed) {
  const size_t size = chunk_size(lines_.size());
  std::vector<std::future<Chunk>> chunks;
  for (size_t first = 0; first < lines_.size(); first += size) {
    const auto lines =
        std::span<const std::string>(lines_).subspan(first, std::min(size, lines_.size() - first));
    chunks.push_back(std::async(std::launch::async, [this, lines, first, seed] {
      return encode_chunk(lines, first, encode_, seed);
    }));
  }
  ids_.clear();
  offsets_.assign(1, 0);
  for (auto& pending : chunks) {
    const Chunk chunk = pending.get();
    ids_.insert(ids_.end(), chunk.ids.begin(), chunk.ids.end());
    for (const int64_t length : chunk.lengths) offsets_.push_back(offsets_.back() + length);
  }
}

int64_t TextSide::length(int64_t index) const {
  const auto at = static_cast<size_t>(index);
  return offsets_[at + 1] - offsets_[at];
}

std::vector<int64_t> TextSide::ids(int64_t index) const {
  const auto at = static_cast<size_t>(index);
  return {ids_.begin() + offsets_[at], ids_.begin() + offsets_[at + 1]};
}

}  // namespace phraseq
