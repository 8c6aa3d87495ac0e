#include "core/base/memory/available_memory.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/base/memory/control_group.h"

namespace phraseq {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

uint64_t left_in_machine() {
  const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:");
  return kibibytes ? *kibibytes * 1024 : kNoLimit;
}

/// A process stays in its groups, so only their numbers are read again.
const std::vector<MemoryGroup>& own_groups() {
  static const auto groups = memory_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  return groups;
}

uint64_t left_in_control_groups() {
  uint64_t left = kNoLimit;
  for (const MemoryGroup& group : own_groups()) left = std::min(left, group.left().value_or(left));
  return left;
}

/// A limit of the process in bytes; nothing if it is unlimited.
std::optional<uint64_t> limit_of(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

/// How much of a limit of the process is left. `used` is the line of /proc/self/status with the
/// amount that it limits.
uint64_t left_of(int resource, const char* used) {
  const auto limit = limit_of(resource);
  const auto kibibytes = limit ? number_in("/proc/self/status", used) : std::nullopt;
  return kibibytes ? *limit - std::min(*limit, *kibibytes * 1024) : kNoLimit;
}

}  // namespace

uint64_t available_memory() {
  return std::min({left_in_machine(),
                   left_in_control_groups(),
                   left_of(RLIMIT_AS, "VmSize:"),      // ulimit -v
                   left_of(RLIMIT_DATA, "VmData:")});  // ulimit -d: without mapped files
}

std::optional<uint64_t> limit_of_control_groups() {
  std::optional<uint64_t> lowest;
  for (const MemoryGroup& group : own_groups()) {
    const auto limit = group.limit();
    if (limit && (!lowest || *limit < *lowest))
      lowest = limit;
  }
  return lowest;
}

bool is_limited_by_reservations() { return limit_of(RLIMIT_AS) || limit_of(RLIMIT_DATA); }

void require_room(const std::string& path, size_t held, size_t more) {
  constexpr size_t kSmall = size_t{64} << 20;
  if (more <= kSmall || more <= available_memory())
    return;
  throw IoError(path,
                fmt::format("keep more than {} MiB in memory", held >> 20),
                ENOMEM,
                "The whole input must fit into memory. Check that it ends, or use less text or a "
                "machine with more memory.");
}

}  // namespace phraseq
