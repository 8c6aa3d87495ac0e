#include "core/plugin/plugin.h"
#include "plugin_template.h"

namespace {

namespace plugin = plugin_template_plugin;

void make_tiny(plugin::Settings& options) { options.set_sizes(128, 256, 4, 4); }

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Architecture, plugin::Model, plugin::Settings>(
      "plugin_template",
      "Transformer with an output gate in the encoder's self-attention",
      {phraseq::preset("plugin_template_tiny",
                       "128/256, 4 heads, 4+4 layers",
                       &make_tiny,
                       phraseq::small_corpus_training())});
}

}  // namespace

PHRASEQ_PLUGIN("plugin_template", "0.1.0", "The architecture plugin_template", register_components)
