#include "core/io/mapping/lost_mappings.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/unfinished_files.h"

namespace phraseq {
namespace {

/// A signal handler may not allocate or lock.
struct Mapping {
  std::atomic<uintptr_t> begin = 0;  ///< 0 = free, 1 = being written
  std::atomic<size_t> size = 0;
  std::array<char, 400> path{};  ///< its beginning
};

std::array<Mapping, 256> mappings;
std::array<char, 64> program_name{};

const char* path_of(uintptr_t address) {
  for (const Mapping& mapping : mappings) {
    const uintptr_t begin = mapping.begin;
    if (begin > 1 && address >= begin && address - begin < mapping.size)
      return mapping.path.data();
  }
  return nullptr;
}

void print(const char* text) {
  const ssize_t done = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(done);  // standard error may be full
}

void on_bus_error(int number, siginfo_t* info, void*) {
  const char* path = path_of(reinterpret_cast<uintptr_t>(info->si_addr));
  if (path == nullptr) {
    std::signal(number, SIG_DFL);  // the access is repeated, and ends the process
    return;
  }
  print(program_name.data());
  print(": error: ");
  print(path);
  print(
      ": cannot read: the file became shorter after it was opened, or its disk failed\n"
      "  Restore the file, and run the command again; files in use may be replaced by a rename, "
      "but not rewritten.\n");
  remove_unfinished();
  ::_exit(kExitIo);
}

}  // namespace

void remember_mapping(const void* begin, size_t size, std::string_view path) noexcept {
  for (Mapping& mapping : mappings) {
    uintptr_t free = 0;
    if (!mapping.begin.compare_exchange_strong(free, 1))
      continue;
    mapping.size = size;
    mapping.path.fill('\0');
    path.copy(mapping.path.data(), mapping.path.size() - 1);
    mapping.begin = reinterpret_cast<uintptr_t>(begin);
    return;
  }
}

void forget_mapping(const void* begin) noexcept {
  for (Mapping& mapping : mappings) {
    if (mapping.begin == reinterpret_cast<uintptr_t>(begin))
      mapping.begin = 0;
  }
}

void report_lost_mappings(std::string_view program) {
  program.copy(program_name.data(), program_name.size() - 1);
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace phraseq
