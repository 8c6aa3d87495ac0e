#include "core/convert/export_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// What a killed export left does not count: StagingFolder removes it.
bool is_empty_folder(const std::string& folder) {
  std::error_code unreadable;
  for (const auto& entry : entries_of(folder, unreadable)) {
    if (!entry.is_directory(unreadable) || !is_stale_temporary(entry))
      return false;
  }
  return !unreadable;
}

/// The folder, which must be empty: files of an older model are never replaced.
const std::string& require_empty(const std::string& folder) {
  if (fs::exists(folder) && !is_empty_folder(folder)) {
    throw UsageError(fmt::format("{}: exists and is not an empty folder", folder),
                     "Give the name of a new folder.");
  }
  return folder;
}

void warn_without_tokenizer(const ExportModel& model) {
  const std::string name = model.text("tokenizer");
  if (name == "word")
    return;
  log_warning(
      fmt::format("{}: the tokenizer {} is not exported; text must be segmented with it before the "
                  "exported model translates it",
                  model.path(),
                  name));
}

}  // namespace

ExportFolder::ExportFolder(const std::string& folder) : staging_(require_empty(folder)) {}

void ExportFolder::write(const std::string& name, std::string_view bytes) const {
  write_file(path(name), bytes);
}

void ExportFolder::write_json(const std::string& name, const nlohmann::json& value) const {
  constexpr int kIndent = 2;
  write(name, value.dump(kIndent, ' ', /*ensure_ascii=*/true) + "\n");
}

void ExportFolder::write_tokenizers(const ExportModel& model) const {
  if (model.source_tokenizer().empty())
    return warn_without_tokenizer(model);
  write("source.spm", model.source_tokenizer());
  write("target.spm", model.target_tokenizer());
}

}  // namespace phraseq
