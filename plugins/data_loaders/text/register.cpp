#include "core/plugin/plugin.h"
#include "plugins/data_loaders/text/text_data.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<DataLoader, TextData, TextDataOptions>(
      "text", "Raw text, FOLDER/SPLIT.LANG or .gz, tokenized when it is read");
}

}  // namespace

PHRASEQ_PLUGIN("text_data", PHRASEQ_VERSION, "Reads folders of raw text", register_components)
