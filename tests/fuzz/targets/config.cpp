// A configuration file.

#include "core/options/config_file.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    std::vector<std::string> problems;
    read_config_file(file.path(), problems);
  });
}
