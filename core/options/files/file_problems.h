#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Describes problems with the files that a command reads and writes (OptionField::writes_file): an
/// existing file that another option, or --config (`config`, may be empty), names as an input would
/// be overwritten; two results would be written to the same file; or standard input ("-") would
/// have several readers.
PHRASEQ_API std::vector<std::string> file_problems(const OptionTable& table,
                                                   const std::string& config);

}  // namespace phraseq
