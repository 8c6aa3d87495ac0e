#include "core/corpus/shards/shard_files.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/launcher/launched_rank.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".shard-";
constexpr std::string_view kOf = "-of-";
constexpr size_t kMissingShown = 10;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// A number at the beginning of `text`, which loses it.
std::optional<int64_t> take_number(std::string_view& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// "3-of-8", what follows the mark in a name.
std::optional<Shard> parse_shard(std::string_view text) {
  const auto index = take_number(text);
  if (!index || !text.starts_with(kOf))
    return std::nullopt;
  text.remove_prefix(kOf.size());
  const auto count = take_number(text);
  if (!count || *count > kMaxProcesses || !text.empty() || *index >= *count)
    return std::nullopt;
  return Shard{*index, *count};
}

/// The numbers N of the shards of `path` that exist.
std::set<int64_t> counts_of(const std::string& path) {
  const std::string beginning = fs::path(path).filename().string() + std::string(kMark);
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  std::set<int64_t> counts;
  std::error_code problem;
  for (const auto& entry : entries_of(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning))
      continue;
    if (const auto shard = parse_shard(std::string_view(name).substr(beginning.size())))
      counts.insert(shard->count);
  }
  return counts;
}

int64_t only_count(const std::string& path) {
  const auto counts = counts_of(path);
  if (counts.empty()) {
    throw DataError(fmt::format("{0}: there are no shards ({0}{1}I{2}N)", path, kMark, kOf),
                    "Give the --output or --destdir of the command that was run with "
                    "--num-shards.");
  }
  if (counts.size() > 1) {
    throw DataError(
        fmt::format("{}: there are shards of several runs, with {} shards",
                    path,
                    fmt::join(counts, " and ")),
        "Remove those of the earlier run, or say with --num-shards which ones to gather.");
  }
  return *counts.begin();
}

/// `missing`: the indices of the first of the `absent` shards.
[[noreturn]] void reject_missing(const std::string& path,
                                 const std::vector<std::string>& missing,
                                 int64_t absent,
                                 int64_t wanted) {
  throw DataError(
      fmt::format("{}: {} of {} shards {} missing: {}{}",
                  path,
                  absent,
                  wanted,
                  absent == 1 ? "is" : "are",
                  fmt::join(missing, ", "),
                  absent > static_cast<int64_t>(missing.size()) ? " …" : ""),
      fmt::format("A process that fails or is killed leaves no shard. Run its part again: "
                  "--num-shards {} --shard-id {}.",
                  wanted,
                  missing.front()));
}

}  // namespace

std::string shard_path(const std::string& path, const Shard& shard) {
  if (shard.is_all())
    return path;
  return fmt::format("{}{}{}{}{}", without_slash(path), kMark, shard.index, kOf, shard.count);
}

std::vector<std::string> find_shards(const std::string& path, int64_t count) {
  const std::string base = without_slash(path);
  const int64_t wanted = count > 0 ? count : only_count(base);
  std::vector<std::string> found, missing;
  for (int64_t index = 0; index < wanted; ++index) {
    const std::string file = fmt::format("{}{}{}{}{}", base, kMark, index, kOf, wanted);
    if (fs::exists(file)) {
      found.push_back(file);
    } else if (missing.size() < kMissingShown) {
      missing.push_back(std::to_string(index));
    }
  }
  if (!missing.empty())
    reject_missing(path, missing, wanted - static_cast<int64_t>(found.size()), wanted);
  return found;
}

}  // namespace phraseq
