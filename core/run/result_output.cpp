#include "core/run/result_output.h"

#include <filesystem>
#include <iostream>
#include <span>

#include "core/io/crc32c.h"
#include "core/io/staging_folder.h"

namespace phraseq {

NewFolders::NewFolders(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (auto path = folder; !path.empty() && !std::filesystem::exists(path, ignored);
       path = path.parent_path())
    made_.push_back(path);
  if (!made_.empty())
    make_folders(folder.string());
}

NewFolders::~NewFolders() {
  std::error_code ignored;  // not empty, for example
  for (const auto& path : made_) std::filesystem::remove(path, ignored);
}

ResultOutput::ResultOutput(const std::string& path) {
  if (path == "-")
    return;
  folders_.emplace(std::filesystem::path(path).parent_path());
  file_.emplace(path);
}

void ResultOutput::write(std::string_view text) {
  checksum_ = crc32c(std::as_bytes(std::span(text)), checksum_);
  if (file_) {
    file_->write(text);
  } else {
    std::cout << text;
  }
}

bool ResultOutput::flush() {
  if (file_)
    return true;
  std::cout.flush();
  return std::cout.good();
}

void ResultOutput::commit() {
  if (file_)
    file_->commit();
}

}  // namespace phraseq
