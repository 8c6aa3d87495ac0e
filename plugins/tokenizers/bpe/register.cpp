#include "core/plugin/plugin.h"
#include "core/text/processing/text_pipeline.h"

namespace {

struct Bpe final : phraseq::TextPipeline {
  Bpe(const phraseq::TextPipelineOptions& options, const phraseq::TokenizerSetup& setup)
      : TextPipeline(options, setup) {}
};

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Tokenizer, Bpe, phraseq::TextPipelineOptions>(
      "bpe", "Words separated by whitespace, split by byte-pair encoding");
}

}  // namespace

PHRASEQ_PLUGIN("bpe", PHRASEQ_VERSION, "Byte-pair encoding", register_components)
