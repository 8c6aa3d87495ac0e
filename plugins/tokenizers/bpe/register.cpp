#include "core/plugin/plugin.h"
#include "core/text/processing/text_pipeline.h"

namespace {

using namespace phraseq;  // registration only

struct Bpe final : TextPipeline {
  Bpe(const TextPipelineOptions& options, const TokenizerSetup& setup)
      : TextPipeline(options, setup) {}
};

void register_components(Registry& registry) {
  registry.add<Tokenizer, Bpe, TextPipelineOptions>(
      "bpe", "Words separated by whitespace, split by byte-pair encoding");
}

}  // namespace

PHRASEQ_PLUGIN("bpe", PHRASEQ_VERSION, "Byte-pair encoding", register_components)
