#include "core/convert/export_folder.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// The folder, which must have nothing in it: files of an older model are never replaced.
const std::string& require_empty(const std::string& folder) {
  std::error_code unreadable;
  if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder, unreadable))) {
    throw UsageError(fmt::format("{}: exists and is not an empty folder", folder),
                     "Give the name of a new folder.");
  }
  return folder;
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
    return;
  write("source.spm", model.source_tokenizer());
  write("target.spm", model.target_tokenizer());
}

}  // namespace phraseq
