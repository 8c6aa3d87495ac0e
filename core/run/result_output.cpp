#include "core/run/result_output.h"

#include <filesystem>
#include <iostream>
#include <span>
#include <system_error>

#include "core/io/crc32c.h"

namespace phraseq {

ResultOutput::ResultOutput(const std::string& path) {
  if (path == "-")
    return;
  std::error_code unknown;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, unknown))
    folders_.emplace(folder.string());
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
