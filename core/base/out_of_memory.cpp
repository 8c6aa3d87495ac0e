#include "core/base/out_of_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/resource.h>

namespace phraseq {
namespace {

/// The number behind `name` in a file of lines "NAME NUMBER"; with an empty name the file's only
/// number.
std::optional<uint64_t> number_in(const char* file, std::string_view name) {
  std::ifstream stream(file);
  std::string word;
  while (!name.empty() && stream >> word && word != name) {
  }
  uint64_t number = 0;
  if (stream >> number)
    return number;
  return std::nullopt;
}

uint64_t left_in_control_group() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max", "");
  const auto used = number_in("/sys/fs/cgroup/memory.current", "");
  if (!limit || !used)
    return std::numeric_limits<uint64_t>::max();
  const auto reclaimable = number_in("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
  const uint64_t held = *used - std::min(*used, reclaimable);
  return *limit - std::min(*limit, held);
}

/// Of the process (ulimit -v).
std::optional<uint64_t> limit_of_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

uint64_t left_in_address_space() {
  const auto pages = number_in("/proc/self/statm", "");
  const auto limit = limit_of_address_space();
  if (!pages || !limit)
    return std::numeric_limits<uint64_t>::max();
  const uint64_t used = *pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return *limit - std::min(*limit, used);
}

}  // namespace

OutOfMemory::OutOfMemory(std::string_view what)
    : Error(
          kExitIo,
          fmt::format("out of memory: {}", what),
          "Use smaller batches (--max-tokens, --batch-size), a smaller --beam, fewer --workers, a "
          "smaller model, or a machine with more memory.") {}

namespace {

/// oneDNN does not say that it has no memory for an object or for the code that it makes. Of
/// descriptors, which are also missing where an operation is not supported, this is not assumed.
bool means_no_memory_of_onednn(std::string_view what) {
  constexpr std::array<std::string_view, 2> kTexts = {"could not create a primitive",
                                                      "could not create a memory"};
  return std::any_of(kTexts.begin(), kTexts.end(), [&](std::string_view text) {
    const size_t place = what.find(text);
    return place != std::string_view::npos &&
           !what.substr(place + text.size()).starts_with(" descriptor");
  });
}

}  // namespace

bool means_out_of_memory(std::string_view what) {
  constexpr std::array<std::string_view, 8> kTexts = {"out of memory",
                                                      "CUDA_ERROR_OUT_OF_MEMORY",
                                                      "CUBLAS_STATUS_ALLOC_FAILED",
                                                      "can't allocate memory",
                                                      "not enough memory",
                                                      "Storage size calculation overflowed",
                                                      "std::bad_alloc",
                                                      "Cannot allocate memory"};
  return means_no_memory_of_onednn(what) ||
         std::any_of(kTexts.begin(), kTexts.end(), [&](std::string_view text) {
           return what.find(text) != std::string_view::npos;
         });
}

void require_room(const std::string& path, size_t held, size_t more) {
  constexpr size_t kSmall = size_t{64} << 20;
  if (more <= kSmall || more <= available_memory())
    return;
  throw IoError(path,
                fmt::format("keep more than {} MiB in memory", held >> 20),
                ENOMEM,
                "It is read as a whole. Does it end? Give less text, or use a machine with more "
                "memory.");
}

bool is_address_space_limited() { return limit_of_address_space().has_value(); }

uint64_t available_memory() {
  const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:");
  const uint64_t of_machine = kibibytes ? *kibibytes * 1024 : std::numeric_limits<uint64_t>::max();
  return std::min({of_machine, left_in_control_group(), left_in_address_space()});
}

}  // namespace phraseq
