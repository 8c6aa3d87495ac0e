#pragma once

#include <iostream>
#include <string>

#include "core/io/atomic_file.h"

namespace phraseq {

/// Writes what a command made to the file `output`, or to standard output if that is "-".
inline void write_result(const std::string& output, const std::string& text) {
  if (output == "-") {
    std::cout << text;
  } else {
    write_file(output, text);
  }
}

}  // namespace phraseq
