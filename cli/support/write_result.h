#pragma once

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/io/atomic_file.h"

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
  const bool is_printed = output == "-";
  fmt::print(
      is_printed ? stderr : stdout, "{}: {}\n", is_printed ? "standard output" : output, contents);
}

}  // namespace phraseq
