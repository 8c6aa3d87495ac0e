#include "core/plugin/plugin.h"
#include "plugins/data_loaders/text/text_data.h"

namespace {

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::DataLoader, phraseq::TextData, phraseq::TextDataOptions>(
      "text", "Raw text, FOLDER/SPLIT.LANG or .gz, tokenized when it is read");
}

}  // namespace

PHRASEQ_PLUGIN("text_data", PHRASEQ_VERSION, "Reads folders of raw text", register_components)
