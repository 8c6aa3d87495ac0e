#include "core/corpus/shards/text_gatherer.h"

#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/corpus/shards/shard_seal.h"
#include "core/io/crc32c.h"

namespace phraseq {
namespace {

constexpr const char* kRunAgain = "Run this shard again, or copy the file again.";

/// The id of "H-12\t…", a line of the format fairseq.
std::optional<int64_t> fairseq_id(std::string_view line) {
  if (line.size() < 3 || line[1] != '-')
    return std::nullopt;
  int64_t id = 0;
  const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), id);
  const bool ends = end == line.data() + line.size() || *end == '\t';
  return error == std::errc() && ends ? std::optional(id) : std::nullopt;
}

/// The id of {"id":12,…, a line of the format jsonl.
std::optional<int64_t> json_id(std::string_view line) {
  constexpr std::string_view kBeginning = "{\"id\":";
  if (!line.starts_with(kBeginning))
    return std::nullopt;
  int64_t id = 0;
  const auto result =
      std::from_chars(line.data() + kBeginning.size(), line.data() + line.size(), id);
  return result.ec == std::errc() ? std::optional(id) : std::nullopt;
}

/// A shard, sentence by sentence.
class ShardReader {
 public:
  ShardReader(std::string file, const ShardSeal& seal)
      : file_(std::move(file)), seal_(seal), stream_(file_, std::ios::binary) {
    if (!stream_)
      throw IoError(file_, "open", errno);
    advance();
  }

  /// The lines of a sentence, which is the next one of this shard.
  void copy(int64_t sentence, const std::function<void(std::string_view)>& write) {
    if (!belongs_to(sentence))
      reject(sentence);
    do {
      line_ += '\n';
      write(line_);
      sum_ = crc32c(std::as_bytes(std::span(line_)), sum_);
      advance();
    } while (seal_.format == "fairseq" && belongs_to(sentence));
  }

  /// After the last sentence.
  void require_end() const {
    if (!at_seal_) {
      throw DataError(fmt::format("{}:{}: a line after the last sentence", file_, number_),
                      kRunAgain);
    }
    if (const std::string found = crc32c_text(sum_); found != seal_.checksum) {
      throw DataError(fmt::format("{}: CRC-32C {}, the last line has {}: the shard was modified",
                                  file_,
                                  found,
                                  excerpt(seal_.checksum)),
                      kRunAgain);
    }
  }

 private:
  void advance() {
    if (!std::getline(stream_, line_))
      throw IoError(file_, "read", errno);  // the seal comes before the end
    ++number_;
    // A translation may look like a seal, but only the last line is one.
    at_seal_ = is_seal(line_) && stream_.peek() == std::ifstream::traits_type::eof();
  }

  bool belongs_to(int64_t sentence) const {
    if (at_seal_)
      return false;
    if (seal_.format == "plain")
      return true;
    return (seal_.format == "jsonl" ? json_id(line_) : fairseq_id(line_)) == sentence;
  }

  [[noreturn]] void reject(int64_t sentence) const {
    throw DataError(
        fmt::format("{}:{}: the lines of sentence {} are missing", file_, number_, sentence + 1),
        kRunAgain);
  }

  std::string file_;
  const ShardSeal& seal_;
  std::ifstream stream_;
  std::string line_;
  int64_t number_ = 0;
  uint32_t sum_ = 0;  ///< of the lines that were copied
  bool at_seal_ = false;
};

[[noreturn]] void reject_pair(const std::vector<std::string>& files,
                              size_t other,
                              const std::string& what,
                              const std::string& first,
                              const std::string& second) {
  throw DataError(fmt::format("{} and {} are of different runs: {} is {} and {}",
                              files[0],
                              files[other],
                              what,
                              first,
                              second),
                  "Run all shards with the same options, models and input.");
}

void require_same_run(const std::vector<std::string>& files,
                      const std::vector<ShardSeal>& seals,
                      size_t other) {
  const ShardSeal& a = seals[0];
  const ShardSeal& b = seals[other];
  if (a.sentences != b.sentences) {
    reject_pair(files,
                other,
                "the number of sentences",
                std::to_string(a.sentences),
                std::to_string(b.sentences));
  }
  if (a.format != b.format)
    reject_pair(files, other, "the format", a.format, b.format);
  for (const auto& [name, value] : a.run.items()) {
    if (b.run.value(name, nlohmann::json()) != value)
      reject_pair(files, other, name, value.dump(), b.run.value(name, nlohmann::json()).dump());
  }
}

std::vector<ShardSeal> read_seals(const std::vector<std::string>& files) {
  std::vector<ShardSeal> seals;
  for (size_t i = 0; i < files.size(); ++i) {
    seals.push_back(ShardSeal::read(files[i]));
    const Shard expected{static_cast<int64_t>(i), static_cast<int64_t>(files.size())};
    const Shard& found = seals.back().shard;
    if (!(found == expected)) {
      throw DataError(fmt::format("{}: contains shard {} of {}: the file was renamed",
                                  files[i],
                                  found.index,
                                  found.count),
                      kRunAgain);
    }
    require_same_run(files, seals, i);
  }
  return seals;
}

}  // namespace

int64_t gather_text(const std::vector<std::string>& files,
                    const std::function<void(std::string_view)>& write) {
  const std::vector<ShardSeal> seals = read_seals(files);
  std::vector<ShardReader> readers;
  readers.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) readers.emplace_back(files[i], seals[i]);
  const int64_t sentences = seals[0].sentences;
  for (int64_t sentence = 0; sentence < sentences; ++sentence)
    readers[static_cast<size_t>(sentence) % readers.size()].copy(sentence, write);
  for (const ShardReader& reader : readers) reader.require_end();
  return sentences;
}

}  // namespace phraseq
