#include "core/plugin/plugin.h"
#include "core/text/processing/text_pipeline.h"

namespace {

using namespace phraseq;  // registration only

struct Moses final : TextPipeline {
  Moses(const MosesOptions& options, const TokenizerSetup& setup) : TextPipeline(options, setup) {}
};

void register_components(Registry& registry) {
  registry.add<Tokenizer, Moses, MosesOptions>(
      "moses", "The tokenizer and detokenizer of Moses, as in sacremoses, and BPE");
}

}  // namespace

PHRASEQ_PLUGIN("moses", PHRASEQ_VERSION, "Tokenizer of Moses", register_components)
