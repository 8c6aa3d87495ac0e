// A SentencePiece model: its pieces, and a line cut into them and joined again. The model is parsed
// by SentencePiece's library, which is not compiled for fuzzing: only what it does to itself shows.

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
