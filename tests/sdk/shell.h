#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/shell.h"

namespace phraseq::sdk {

using phraseq::testing::Outcome;
using phraseq::testing::shell;

/// A folder for one test, outside of the source tree, whose files grow piece by piece.
class GrowingFolder {
 public:
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary | std::ios::app) << text;
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = std::filesystem::canonical(folder_.path());
};

}  // namespace phraseq::sdk
