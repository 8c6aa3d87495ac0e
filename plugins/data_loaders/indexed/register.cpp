#include "core/plugin/plugin.h"
#include "plugins/data_loaders/indexed/indexed_data.h"

namespace {

void register_into(phraseq::Registry& registry) {
  registry.add<phraseq::DataLoader, phraseq::IndexedData, phraseq::IndexedDataOptions>(
      "indexed", "A data-bin folder: fairseq's .bin and .idx files");
}

}  // namespace

PHRASEQ_PLUGIN("indexed_data", PHRASEQ_VERSION, "Reads data-bin folders", register_into)
