// The model of the tokenizers moses and bpe as in a checkpoint, "||||", and a line.

#include "core/io/utf8.h"
#include "core/text/processing/text_pipeline.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(tokenizer_model) {
  using namespace phraseq;
  const auto [model, line] = fuzz::parts_of<2>(fuzz::text_of(data, size));
  const std::string text = repair_text(line, ControlBytes::kReject);
  return fuzz::check([&, model = model] {
    MosesOptions options;
    options.bpe = BpeKind::kSubwordNmt;
    options.normalize_punctuation = true;
    const TextPipeline pipeline(options, {std::string(model), "input", "de"});
    pipeline.decode(pipeline.encode(text));
    pipeline.decode(pipeline.sample(text, 7));
  });
}
