#include "core/plugin/plugin.h"
#include "@name@.h"

namespace {

namespace plugin = @name@_plugin;

void register_components(phraseq::Registry& registry) {
  registry.add<phraseq::Tokenizer, plugin::Characters, plugin::Settings>("@name@",
                                                                         "Characters as symbols");
}

}  // namespace

PHRASEQ_PLUGIN("@name@", "0.1.0", "The tokenizer @name@", register_components)
