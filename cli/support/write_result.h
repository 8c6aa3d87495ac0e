#pragma once

#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/io/atomic_file.h"
#include "core/io/standard_streams.h"

namespace phraseq {

/// Writes the result of a command to the file `output`, or to standard output if that is "-".
inline void write_result(const std::string& output, const std::string& text) {
  if (output == "-") {
    std::cout << text;
  } else {
    write_file(output, text);
  }
}

/// Prints what `output` contains, to standard error if the result goes to standard output.
inline void print_summary(const std::string& output, std::string_view contents) {
  if (output == "-") {
    write_to_standard_error(fmt::format("standard output: {}\n", contents));
  } else {
    fmt::print("{}: {}\n", output, contents);
  }
}

}  // namespace phraseq
