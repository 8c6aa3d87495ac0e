// Lines of text, plain or compressed with gzip, with each way of treating bad ones.

#include "core/io/line_reader.h"
#include "core/io/utf8.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(text) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  for (const OnBadLine mode : {OnBadLine::kError, OnBadLine::kSkip, OnBadLine::kReplace}) {
    fuzz::check([&] {
      LineReader reader(file.path(), {.max_line_bytes = 1000, .on_bad_line = mode});
      for (std::string line; reader.next(line);) {
        if (find_text_fault(line, ControlBytes::kReject))
          throw std::logic_error("a line with a fault was returned");
      }
    });
  }
  return 0;
}
