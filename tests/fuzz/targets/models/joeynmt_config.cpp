// The configuration of a model of JoeyNMT.

#include "core/convert/joeynmt/joeynmt_config.h"

#include "core/io/yaml/yaml_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(joeynmt_config) {
  using namespace phraseq;
  return fuzz::check([&] {
    const auto config = parse_yaml(fuzz::text_of(data, size), "config.yaml");
    options_from_joeynmt(config, {true, false}, "config.yaml");
  });
}
