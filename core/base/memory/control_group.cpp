#include "core/base/memory/control_group.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "core/base/text_fields.h"

namespace phraseq {

namespace fs = std::filesystem;

namespace {

MemoryGroup group_of_version_1(const fs::path& folder) {
  return {folder / "memory.limit_in_bytes",
          folder / "memory.usage_in_bytes",
          folder / "memory.stat",
          "total_inactive_file"};
}

MemoryGroup group_of_version_2(const fs::path& folder) {
  return {
      folder / "memory.max", folder / "memory.current", folder / "memory.stat", "inactive_file"};
}

/// A line of /proc/PID/cgroup: "ID:CONTROLLER,...:PATH".
struct Membership {
  std::string controllers, path;

  bool is_of_version_2() const { return controllers.empty(); }
  bool has_memory() const {
    const auto names = split_text(controllers, ",");
    return std::ranges::find(names, "memory") != names.end();
  }
};

std::optional<Membership> parse(const std::string& line) {
  const size_t first = line.find(':');
  const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos)
    return std::nullopt;
  return Membership{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

/// A container may see the host's path, or one outside its own ("/.."), but only its own groups:
/// folders that are not there are passed over.
template <class MakeGroup>
void add_groups(std::vector<MemoryGroup>& groups,
                const fs::path& root,
                const std::string& path,
                MakeGroup make) {
  fs::path below = path.starts_with("/..") ? "" : fs::path(path).relative_path();
  for (;; below = below.parent_path()) {
    MemoryGroup group = make(root / below);
    std::error_code ignored;
    if (fs::exists(group.limit_file, ignored))
      groups.push_back(std::move(group));
    if (below.empty())
      return;
  }
}

}  // namespace

std::optional<uint64_t> number_in(const fs::path& file, std::string_view name) {
  std::ifstream stream(file);
  std::string word;
  while (!name.empty() && stream >> word && word != name) {
  }
  uint64_t number = 0;
  if (stream >> number)
    return number;
  return std::nullopt;
}

std::optional<uint64_t> MemoryGroup::limit() const {
  constexpr uint64_t kNoneOfVersion1 = uint64_t{1} << 62;  // shown as the largest number of pages
  const auto bytes = number_in(limit_file, "");
  return bytes < kNoneOfVersion1 ? bytes : std::nullopt;
}

std::optional<uint64_t> MemoryGroup::left() const {
  const auto most = limit();
  const auto used = number_in(used_file, "");
  if (!most || !used)
    return std::nullopt;
  const uint64_t held = *used - std::min(*used, number_in(statistics_file, droppable).value_or(0));
  return *most - std::min(*most, held);
}

std::vector<MemoryGroup> memory_groups(const fs::path& membership, const fs::path& mount) {
  std::vector<MemoryGroup> groups;
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto group = parse(line);
    if (!group)
      continue;
    if (group->is_of_version_2()) {
      add_groups(groups, mount, group->path, group_of_version_2);
    } else if (group->has_memory()) {
      add_groups(groups, mount / "memory", group->path, group_of_version_1);
    }
  }
  return groups;
}

}  // namespace phraseq
