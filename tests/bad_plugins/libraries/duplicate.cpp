// Offers a name that the good plugin has.
#include "toy.h"

namespace {
void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("rectangle", "Another rectangle.");
}
}  // namespace

PHRASEQ_PLUGIN("duplicate", "1.0", "Has the good plugin's name", register_components)
