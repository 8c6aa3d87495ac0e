#include "core/run/result_output.h"

#include <iostream>
#include <span>

#include "core/io/crc32c.h"

namespace phraseq {

ResultOutput::ResultOutput(const std::string& path) {
  if (path != "-")
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
