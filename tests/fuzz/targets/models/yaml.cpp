// The YAML of other toolkits' options and vocabularies.

#include "core/io/yaml/yaml_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(yaml) {
  using namespace phraseq;
  return fuzz::check([&] { parse_yaml(fuzz::text_of(data, size), "fuzz.yml").dump(); });
}
