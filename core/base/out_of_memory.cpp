#include "core/base/out_of_memory.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace phraseq {

OutOfMemory::OutOfMemory(std::string_view what)
    : Error(
          kExitIo,
          fmt::format("out of memory: {}", what),
          "Use smaller batches (--max-tokens, --batch-size), a smaller --beam, fewer --workers, a "
          "smaller model, or a machine with more memory.") {}

namespace {

/// oneDNN does not report a lack of memory as such: it cannot create an object or the code of an
/// operation. A descriptor that it cannot create does not count, because this also means that an
/// operation is not supported.
bool means_no_memory_of_onednn(std::string_view what) {
  constexpr std::array<std::string_view, 2> kTexts = {"could not create a primitive",
                                                      "could not create a memory"};
  return std::any_of(kTexts.begin(), kTexts.end(), [&](std::string_view text) {
    const size_t place = what.find(text);
    return place != std::string_view::npos &&
           !what.substr(place + text.size()).starts_with(" descriptor");
  });
}

}  // namespace

bool means_out_of_memory(std::string_view what) {
  constexpr std::array<std::string_view, 8> kTexts = {"out of memory",
                                                      "CUDA_ERROR_OUT_OF_MEMORY",
                                                      "CUBLAS_STATUS_ALLOC_FAILED",
                                                      "can't allocate memory",
                                                      "not enough memory",
                                                      "Storage size calculation overflowed",
                                                      "std::bad_alloc",
                                                      "Cannot allocate memory"};
  return means_no_memory_of_onednn(what) ||
         std::any_of(kTexts.begin(), kTexts.end(), [&](std::string_view text) {
           return what.find(text) != std::string_view::npos;
         });
}

}  // namespace phraseq
