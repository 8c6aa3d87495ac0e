// The YAML of other toolkits' options and vocabularies.

#include "core/convert/yaml/yaml_reader.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace phraseq;
  return fuzz::check([&] { parse_yaml(fuzz::text_of(data, size), "fuzz.yml").dump(); });
}
