// Offers a component whose name would lead out of a folder.
#include "toy.h"

namespace {
void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>("../evil", "Leads elsewhere.");
}
}  // namespace

PHRASEQ_PLUGIN("bad_name", "1.0", "Names a path", register_components)
