#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The number after `name` in a file of lines "NAME NUMBER"; with an empty name the file's only
/// number.
std::optional<uint64_t> number_in(const std::filesystem::path& file, std::string_view name);

/// A control group that limits the memory of its processes: where the kernel shows its numbers.
struct PHRASEQ_API MemoryGroup {
  std::filesystem::path limit_file, used_file, statistics_file;
  std::string_view droppable;  ///< the line of the statistics with file pages that can be dropped

  /// In bytes; empty without a limit.
  std::optional<uint64_t> limit() const;
  /// Bytes that the group may still use; empty without a limit.
  std::optional<uint64_t> left() const;
};

/// The groups that limit a process, from its own up to the root: systemd, Slurm and containers set
/// the limit of any of them. `membership` is the process's /proc/PID/cgroup, `mount` the folder of
/// the hierarchies. Knows the memory controllers of versions 1 and 2
/// (https://docs.kernel.org/admin-guide/cgroup-v2.html).
PHRASEQ_API std::vector<MemoryGroup> memory_groups(const std::filesystem::path& membership,
                                                   const std::filesystem::path& mount);

}  // namespace phraseq
