#pragma once

#include <cstdint>
#include <fstream>
#include <unistd.h>

#include <sys/resource.h>

namespace phraseq {

/// Limits the address space of the process, while the object lives, to what is in use and the
/// stacks of a few threads.
class FewThreads {
 public:
  FewThreads() {
    ::getrlimit(RLIMIT_AS, &before_);
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(pages * ::getpagesize() + (int64_t{30} << 20));
    ::setrlimit(RLIMIT_AS, &few);
  }
  ~FewThreads() { ::setrlimit(RLIMIT_AS, &before_); }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  rlimit before_{};
};

}  // namespace phraseq
