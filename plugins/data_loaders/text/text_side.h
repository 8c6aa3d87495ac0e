#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace phraseq {

/// The lines of one file and their encodings (ids, or the numbers of a tree), packed as int32.
class TextSide {
 public:
  /// Encodes a line, given its place from 0 and the seed of a random segmentation.
  using Encode =
      std::function<std::vector<int64_t>(const std::string&, int64_t, std::optional<uint64_t>)>;

  /// Reads all lines; throws like LineReader.
  TextSide(const std::string& path, Encode encode);

  /// Makes the ids of all lines, on several threads. With a seed, each line is segmented at random
  /// by (seed, line), independently of the number of threads.
  void encode_all(std::optional<uint64_t> seed);
  /// Call it when the lines will not be encoded again.
  void forget_lines() { lines_ = {}; }
  const std::string& line(int64_t index) const { return lines_[static_cast<size_t>(index)]; }

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  int64_t length(int64_t index) const;
  std::vector<int64_t> ids(int64_t index) const;
  uint32_t checksum() const { return checksum_; }  ///< CRC-32C of the lines, including their ends

 private:
  std::string path_;
  Encode encode_;
  std::vector<std::string> lines_;
  int64_t size_ = 0;
  uint32_t checksum_ = 0;
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_ = {0};
};

}  // namespace phraseq
