#pragma once

#include <string>

#include "core/base/error.h"

namespace phraseq {

/// What `read` returns; its FormatErrors then begin with a place: a file, or a part of one.
template <typename Read>
auto with_place(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const FormatError& failure) {
    throw FormatError(place + ": " + failure.message(), failure.hint());
  }
}

}  // namespace phraseq
