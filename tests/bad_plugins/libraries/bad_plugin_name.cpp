// The name of the plugin would lead out of a folder.
#include "toy.h"

namespace {
void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("rectangle", "A rectangle.");
}
}  // namespace

PHRASEQ_PLUGIN("../evil", "1.0", "Is named like a path", register_components)
