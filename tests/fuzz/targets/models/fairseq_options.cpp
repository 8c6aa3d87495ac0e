// The options of a fairseq model, as phraseq import gets them.

#include "core/checkpoint/fairseq/fairseq_options.h"

#include "core/io/json_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(fairseq_options) {
  using namespace phraseq;
  return fuzz::check(
      [&] { options_from_fairseq(parse_json(fuzz::text_of(data, size), "input"), "input"); });
}
