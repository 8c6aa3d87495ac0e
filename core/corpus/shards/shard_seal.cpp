#include "core/corpus/shards/shard_seal.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

constexpr std::string_view kSeal = "#phraseq-shard ";
constexpr std::streamoff kLongestSeal = 1 << 16;

/// The last line of a file with its '\n'; empty when the file is empty.
std::string last_line(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream)
    throw IoError(file, "open", errno);
  const std::streamoff size = stream.tellg();
  if (size < 0)
    throw IoError(file, "read the size of", errno);
  const std::streamoff length = std::min(size, kLongestSeal);
  stream.seekg(size - length);
  std::string end(static_cast<size_t>(length), '\0');
  if (!stream.read(end.data(), length))
    throw IoError(file, "read", errno);
  if (end.empty())
    return end;
  const size_t before = end.size() < 2 ? std::string::npos : end.rfind('\n', end.size() - 2);
  return before == std::string::npos ? end : end.substr(before + 1);
}

}  // namespace

bool is_seal(std::string_view line) { return line.starts_with(kSeal); }

std::string ShardSeal::line() const {
  const nlohmann::json content = {{"shard", shard.index},
                                  {"of", shard.count},
                                  {"sentences", sentences},
                                  {"format", format},
                                  {"checksum", checksum},
                                  {"run", run}};
  return std::string(kSeal) + content.dump() + '\n';
}

ShardSeal ShardSeal::read(const std::string& file) {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  const std::string line = last_line(file);
  if (!is_seal(line) || !line.ends_with('\n')) {
    throw DataError(
        fmt::format("{}: the last line is not '{}…': the shard is not complete", file, kSeal),
        "Run this shard again, or copy the file again.");
  }
  try {
    const nlohmann::json document = parse_json(line.substr(kSeal.size()), file);
    const JsonEntry content(document, file);
    ShardSeal seal;
    seal.shard.count = content.at("of").whole_number(1, kNoLimit);
    seal.shard.index = content.at("shard").whole_number(0, seal.shard.count - 1);
    seal.sentences = content.at("sentences").whole_number(0, kNoLimit);
    seal.format = content.at("format").text();
    seal.checksum = content.at("checksum").text();
    seal.run = content.at("run").object();
    return seal;
  } catch (const FormatError& error) {
    throw DataError(fmt::format("{}: damaged last line: {}", file, error.message()),
                    "Run this shard again, or copy the file again.");
  }
}

}  // namespace phraseq
