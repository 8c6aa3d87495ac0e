#include "core/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/checkpoint_name.h"
#include "core/checkpoint/checkpoint_pointer.h"
#include "core/io/atomic_file.h"
#include "core/io/failpoint.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr std::array kAllKinds = {
    CheckpointKind::kEpoch, CheckpointKind::kUpdate, CheckpointKind::kBest};

/// The number of updates before a checkpoint was written; -1 if it does not record it or cannot be
/// read.
int64_t recorded_updates(const std::string& path) {
  try {
    const auto file = CheckpointFile::open(path, /*verify_tensors=*/false);
    const nlohmann::json train = file.metadata_json(kTrainEntry);
    return JsonEntry(train, path).at("state").at("updates").whole_number(0);
  } catch (const std::exception&) {
    return -1;
  }
}

/// The paths of all checkpoints of the folder.
std::vector<std::string> all_checkpoints(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto kind : kAllKinds) {
    for (const auto& name : list_checkpoints(folder, kind))
      paths.push_back((fs::path(folder) / name.file_name()).string());
  }
  return paths;
}

/// All checkpoints of the folder, most updates first. Equal ones, and those that record no updates,
/// are ordered by time, newest first. (Copying may change the times of files.)
std::vector<std::string> newest_first(const std::string& folder) {
  std::vector<std::tuple<int64_t, fs::file_time_type, std::string>> files;
  for (const std::string& path : all_checkpoints(folder)) {
    std::error_code gone;
    const auto time = fs::last_write_time(path, gone);
    if (!gone)
      files.emplace_back(recorded_updates(path), time, path);
  }
  std::ranges::sort(files, std::greater<>());
  std::vector<std::string> paths;
  for (auto& file : files) paths.push_back(std::move(std::get<std::string>(file)));
  return paths;
}

/// The newest that passes verification.
std::string newest_good(const std::string& folder) {
  const auto candidates = newest_first(folder);
  for (const auto& path : candidates) {
    try {
      CheckpointFile::open(path);
      log_warning(fmt::format("using {}, the newest checkpoint that passes verification", path));
      return path;
    } catch (const Error& problem) {
      log_warning(problem.message());
    }
  }
  throw FormatError(
      candidates.empty()
          ? fmt::format("{}: the folder contains no checkpoint file", folder)
          : fmt::format(
                "{}: none of the {} checkpoints passes verification", folder, candidates.size()),
      "Restore a checkpoint from a backup, or use another folder.");
}

/// What the pointers of the folder point at. Throws FormatError when `checkpoint_last` or
/// `checkpoint_best` cannot be read; other files may be anything.
std::set<std::string> pointed_at(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code unreadable;
    if (!entry.is_regular_file(unreadable) || name.ends_with(".safetensors"))
      continue;
    try {
      if (const auto pointer = read_pointer(entry.path().string()))
        names.insert(pointer->name);
    } catch (const Error&) {
      if (name == kLastPointer || name == kBestPointer)
        throw;
    }
  }
  return names;
}

/// Adds all `names` except the last `keep`, which are the best, to `surplus`.
void all_but_last(std::span<const CheckpointName> names,
                  int64_t keep,
                  std::vector<std::string>& surplus) {
  if (keep < 0)
    return;
  const size_t kept = std::min(static_cast<size_t>(keep), names.size());
  for (const auto& name : names.first(names.size() - kept)) surplus.push_back(name.file_name());
}

/// The temporary ones, and all but the last `keep` others.
void temporary_and_all_but_last(std::vector<CheckpointName> names,
                                const RetentionRules& rules,
                                int64_t keep,
                                std::vector<std::string>& surplus) {
  std::erase_if(names, [&](const CheckpointName& name) {
    const bool is_temporary = rules.is_temporary && rules.is_temporary(name);
    if (is_temporary)
      surplus.push_back(name.file_name());
    return is_temporary;
  });
  if (rules.updates_of)
    std::ranges::stable_sort(names, std::less<>(), rules.updates_of);
  all_but_last(names, keep, surplus);
}

std::vector<std::string> surplus_names(const std::string& folder,
                                       const RetentionRules& rules,
                                       bool larger_is_better) {
  std::vector<std::string> surplus;
  temporary_and_all_but_last(list_checkpoints(folder, CheckpointKind::kUpdate),
                             rules,
                             rules.keep_interval_updates,
                             surplus);
  temporary_and_all_but_last(
      list_checkpoints(folder, CheckpointKind::kEpoch), rules, rules.keep_last_epochs, surplus);
  auto best = list_checkpoints(folder, CheckpointKind::kBest);
  std::erase_if(best, [&](const auto& name) {
    return name.metric != rules.best_metric || (rules.is_comparable && !rules.is_comparable(name));
  });
  if (!larger_is_better)
    std::ranges::reverse(best);
  all_but_last(best, rules.keep_best_checkpoints, surplus);
  return surplus;
}

/// The target when the file is a pointer; null when it is something else.
std::optional<std::string> follow(const std::string& path) {
  std::optional<CheckpointPointer> pointer;
  try {
    pointer = read_pointer(path);
  } catch (const FormatError&) {
    return std::nullopt;
  }
  if (!pointer)
    return std::nullopt;
  return checked_target(path, *pointer, /*verify_tensors=*/false);
}

/// Makes `name` another name of `file`, whatever it was before, in one step. False where the file
/// system has no second names.
bool link_as(const std::string& file, const std::string& name) {
  const std::string beside = temporary_name(name);
  std::error_code problem;
  fs::create_hard_link(file, beside, problem);
  if (problem)
    return false;
  int failure = failpoint("checkpoint_folder.before_rename");
  if (failure == 0 && ::rename(beside.c_str(), name.c_str()) != 0)
    failure = errno;
  fs::remove(beside, problem);  // still there after a failure, and when both were one file already
  if (failure == 0)
    failure = sync_folder(folder_of(name));
  if (failure != 0)
    throw IoError(name, "rename", failure);
  return true;
}

/// What fairseq's name of a checkpoint ("checkpoint_best.pt") means here: the pointer or file
/// without the extension, if there is one.
std::optional<std::string> name_without_pt(const std::string& path) {
  const fs::path name(path);
  if (name.extension() != ".pt")
    return std::nullopt;
  for (const char* extension : {"", ".safetensors"}) {
    const fs::path candidate = fs::path(name).replace_extension(extension);
    if (fs::is_regular_file(candidate))
      return candidate.string();
  }
  return std::nullopt;
}

/// A folder cannot be replaced by a pointer; found before any work.
void refuse_folder(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(fs::symlink_status(path, problem)))
    throw IoError(path, "write", EISDIR);
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string folder)
    : folder_(std::move(folder)), lock_(folder_) {
  for (const char* const pointer : {kLastPointer, kBestPointer}) refuse_folder(path_of(pointer));
  remove_stale_temporaries(folder_);
}

std::string CheckpointFolder::path_of(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

std::string CheckpointFolder::epoch_path(int64_t epoch) const {
  return path_of(CheckpointName{.kind = CheckpointKind::kEpoch, .epoch = epoch}.file_name());
}

std::string CheckpointFolder::update_path(int64_t epoch, int64_t update) const {
  return path_of(CheckpointName{.kind = CheckpointKind::kUpdate, .epoch = epoch, .update = update}
                     .file_name());
}

std::string CheckpointFolder::best_path(const std::string& metric, double value) const {
  if (!std::isfinite(value))
    throw std::invalid_argument("the best value is not finite");
  return path_of(
      CheckpointName{.kind = CheckpointKind::kBest, .metric = metric, .value = value}.file_name());
}

void CheckpointFolder::point(const std::string& pointer, const std::string& checkpoint_path) {
  const auto file = CheckpointFile::open(checkpoint_path, /*verify_tensors=*/false);
  if (file.is_foreign())
    throw std::invalid_argument(checkpoint_path + " is not a phraseq checkpoint");
  write_pointer(path_of(pointer),
                {fs::path(checkpoint_path).filename().string(), file.fingerprint()});
}

std::optional<std::string> resolve_in_folder(const std::string& folder,
                                             const std::string& pointer,
                                             bool strict) {
  const std::string path = (fs::path(folder) / pointer).string();
  try {
    if (const auto content = read_pointer(path)) {
      return checked_target(path, *content, /*verify_tensors=*/true);
    }
    if (pointer != kLastPointer || all_checkpoints(folder).empty())
      return std::nullopt;
    throw FormatError(fmt::format("{}: there are checkpoints, but this pointer is missing", path));
  } catch (const Error& problem) {
    if (strict)
      throw FormatError(problem.message(), problem.hint());
    log_warning(problem.message());
  }
  return newest_good(folder);
}

std::string CheckpointFolder::keep_as_best(const std::string& checkpoint_path,
                                           const std::string& metric,
                                           double value) {
  const std::string best = best_path(metric, value);
  if (!link_as(checkpoint_path, best)) {
    AtomicFile copy(best);
    copy.write(MappedFile(checkpoint_path).bytes());
    copy.commit();
  }
  return best;
}

std::vector<std::string> CheckpointFolder::retain(const RetentionRules& rules,
                                                  bool larger_is_better,
                                                  const std::string& newest) {
  CheckpointFile::open(newest, /*verify_tensors=*/false);
  std::set<std::string> protected_names;
  try {
    protected_names = pointed_at(folder_);
  } catch (const Error& problem) {
    log_warning(fmt::format("{}; no old checkpoint is deleted", problem.message()));
    return {};
  }
  protected_names.insert(fs::path(newest).filename().string());
  std::vector<std::string> deleted;
  for (const auto& name : surplus_names(folder_, rules, larger_is_better)) {
    const std::string path = path_of(name);
    if (protected_names.contains(name) || (rules.spares && rules.spares(path)))
      continue;
    std::error_code problem;
    if (fs::remove(path, problem))
      deleted.push_back(path);
    if (problem)
      log_warning(fmt::format("{}: cannot delete: {}", path, problem.message()));
  }
  return deleted;
}

std::optional<std::string> find_checkpoint(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::none)  // e.g. a name that is too long
    throw IoError(path, "open", problem.value());
  if (!fs::exists(status)) {
    const auto ours = name_without_pt(path);
    return ours ? find_checkpoint(*ours) : std::nullopt;
  }
  if (!fs::is_directory(status))
    return follow(path).value_or(path);
  for (const char* pointer : {kBestPointer, kLastPointer}) {
    const std::string candidate = (fs::path(path) / pointer).string();
    if (const auto content = read_pointer(candidate))
      return checked_target(candidate, *content, /*verify_tensors=*/false);
  }
  throw UsageError(
      fmt::format("{}: the folder has neither {} nor {}", path, kBestPointer, kLastPointer),
      "Give the path of a checkpoint file in it.");
}

std::string resolve_checkpoint(const std::string& path) {
  if (const auto found = find_checkpoint(path))
    return *found;
  throw IoError(
      path, "open", ENOENT, "Give a checkpoint, or the folder of a training run (--save-dir).");
}

}  // namespace phraseq
