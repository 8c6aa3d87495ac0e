#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// What is wrong with the files that a command reads and writes (OptionField::writes_file): an
/// existing file that another option, or --config (`config`, may be empty), names as an input would
/// be lost, and so would one of two results in the same file; standard input ("-") gives its text
/// to one reader only.
PHRASEQ_API std::vector<std::string> file_problems(const OptionTable& table,
                                                   const std::string& config);

}  // namespace phraseq
