// A SentencePiece model: its pieces, and a line that is segmented and joined again. SentencePiece's
// library parses the model, but it is not compiled for fuzzing, so only its own checks can fail.

#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(sentencepiece) {
  using namespace phraseq;
  const std::string model(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const SentencePieceTokenizer tokenizer(model, "input");
    tokenizer.pieces();
    tokenizer.vocabulary();
    tokenizer.decode(tokenizer.encode("one two  \u00e9\u4e2d."));
    tokenizer.decode(tokenizer.sample("one two  \u00e9\u4e2d.", 7));
  });
}
