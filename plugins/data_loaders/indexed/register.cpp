#include "core/plugin/plugin.h"
#include "plugins/data_loaders/indexed/indexed_data.h"

namespace {

using namespace phraseq;  // registration only

void register_components(Registry& registry) {
  registry.add<DataLoader, IndexedData, IndexedDataOptions>(
      "indexed", "Data folder of phraseq or fairseq: .bin and .idx files");
}

}  // namespace

PHRASEQ_PLUGIN("indexed_data", PHRASEQ_VERSION, "Reads data-bin folders", register_components)
