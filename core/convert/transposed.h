#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phraseq {

/// Rows become columns. values [rows, columns]
template <class Number>
std::vector<Number> transposed(const std::vector<Number>& values, int64_t rows, int64_t columns) {
  std::vector<Number> made(values.size());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column)
      made[static_cast<size_t>(column * rows + row)] =
          values[static_cast<size_t>(row * columns + column)];
  }
  return made;
}

}  // namespace phraseq
