#include "core/plugin/plugin.h"
#include "core/text/processing/text_pipeline.h"

namespace {

struct Moses final : phraseq::TextPipeline {
  Moses(const phraseq::MosesOptions& options, const phraseq::TokenizerSetup& setup)
      : TextPipeline(options, setup) {}
};

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Tokenizer, Moses, phraseq::MosesOptions>(
      "moses", "The tokenizer and detokenizer of Moses, as in sacremoses, and BPE");
}

}  // namespace

PHRASEQ_PLUGIN("moses", PHRASEQ_VERSION, "Tokenizer of Moses", register_components)
