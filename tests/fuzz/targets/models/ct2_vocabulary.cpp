// The vocabulary of a CTranslate2 model.

#include "core/convert/ctranslate2/ct2_vocabulary.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(ct2_vocabulary) {
  using namespace phraseq;
  fuzz::write_in_folder("shared_vocabulary.json", fuzz::text_of(data, size));
  return fuzz::check([&] { read_ct2_vocabulary(fuzz::folder(), "source"); });
}
