#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void make_tiny(plugin::Settings& options) { options.set_sizes(128, 256, 4, 4); }

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Architecture, plugin::Model, plugin::Settings>(
      "@name@",
      "Transformer with an output gate in the encoder's self-attention",
      {phraseq::preset("@name@_tiny",
                       "128/256, 4 heads, 4+4 layers",
                       &make_tiny,
                       phraseq::small_corpus_training())});
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The architecture @name@", register_components)
