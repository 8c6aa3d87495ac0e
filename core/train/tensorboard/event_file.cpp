#include "core/train/tensorboard/event_file.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/posix/host_name.h"
#include "core/base/posix/write_all.h"

namespace phraseq::tensorboard {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The name of a new file. TensorBoard reads the files of a folder in the order of their names.
std::string file_name() {
  static std::atomic<int> files = 0;
  return fmt::format(
      "events.out.tfevents.{:.0f}.{}.{}.{:03}", std::floor(now()), host_name(), getpid(), files++);
}

}  // namespace

EventFile::EventFile(const std::string& folder, int64_t purge_step) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw IoError(folder, "create the folder", failure.value(), "--tensorboard-logdir names it.");
  path_ = (std::filesystem::path(folder) / file_name()).string();
  descriptor_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor_.is_open())
    throw IoError(path_, "create", errno, "--tensorboard-logdir names the folder.");
  try {
    append(version_event(now()));
    if (purge_step >= 0)
      append(start_event(now(), purge_step));
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

void EventFile::add(int64_t step, const Scalars& scalars) {
  append(scalar_event(now(), step, scalars));
}

void EventFile::append(const std::string& event) {
  const std::string record = frame(event);
  if (const int problem = write_all(descriptor_.get(), record).problem) {
    if (::ftruncate(descriptor_.get(), size_) == 0)
      ::lseek(descriptor_.get(), size_, SEEK_SET);
    throw IoError(path_, "write", problem);
  }
  size_ += static_cast<int64_t>(record.size());
}

}  // namespace phraseq::tensorboard
