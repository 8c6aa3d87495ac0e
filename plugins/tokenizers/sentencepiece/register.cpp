#include "core/plugin/plugin.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

namespace {

using namespace phraseq;  // registration only

struct SentencePieceOptions final : Options {
  SentencePieceSettings settings;

  void describe(OptionTable& table) override {
    table.field(
        "lowercase", settings.lowercase, "Lowercase the text first (Unicode, root locale).");
    table
        .field("sentencepiece-alpha",
               settings.alpha,
               "For sampling: dropout probability of merges (BPE models), or the smoothing "
               "parameter (unigram models).")
        .in(0.0, 1.0);
    table
        .field("sentencepiece-candidates",
               settings.candidates,
               "For sampling from a unigram model: sample from the N best segmentations; -1 = all.")
        .at_least(-1);
    table.field("language-token",
                settings.language_token,
                "Keep a token such as >>fra<< at the beginning of a line, which selects the target "
                "language of a multilingual model.");
  }
};

struct SentencePiece final : SentencePieceTokenizer {
  SentencePiece(const SentencePieceOptions& options, const TokenizerSetup& setup)
      : SentencePieceTokenizer(setup.model, setup.model_name, options.settings) {}
};

void register_components(Registry& registry) {
  registry.add<Tokenizer, SentencePiece, SentencePieceOptions>(
      "sentencepiece", "Subwords of a SentencePiece model (BPE or unigram)");
}

}  // namespace

PHRASEQ_PLUGIN("sentencepiece", PHRASEQ_VERSION, "SentencePiece subwords", register_components)
