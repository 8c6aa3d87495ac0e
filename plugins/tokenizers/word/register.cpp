#include "core/plugin/plugin.h"
#include "core/text/word_tokenizer.h"

namespace {

struct WordOptions final : phraseq::Options {
  bool lowercase = false;

  void describe(phraseq::OptionTable& table) override {
    table.field("lowercase", lowercase, "Lowercase the text first (Unicode, root locale).");
  }
};

struct Word final : phraseq::WordTokenizer {
  Word(const WordOptions& options, const phraseq::TokenizerSetup&)
      : WordTokenizer(options.lowercase) {}
};

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Tokenizer, Word, WordOptions>("word", "Words separated by whitespace");
}

}  // namespace

PHRASEQ_PLUGIN("word", PHRASEQ_VERSION, "Words separated by whitespace", register_components)
