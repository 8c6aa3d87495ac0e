#include "core/plugin/plugin.h"
#include "core/text/word_tokenizer.h"

namespace {

using namespace phraseq;  // registration only

struct WordOptions final : Options {
  bool lowercase = false;

  void describe(OptionTable& table) override {
    table.field("lowercase", lowercase, "Lowercase the text first (Unicode, root locale).");
  }
};

struct Word final : WordTokenizer {
  Word(const WordOptions& options, const TokenizerSetup&) : WordTokenizer(options.lowercase) {}
};

void register_components(Registry& registry) {
  registry.add<Tokenizer, Word, WordOptions>("word", "Words separated by whitespace");
}

}  // namespace

PHRASEQ_PLUGIN("word", PHRASEQ_VERSION, "Words separated by whitespace", register_components)
