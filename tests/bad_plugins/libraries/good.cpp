// A plugin with nothing wrong: the reference for the rejected ones.
#include "toy.h"

namespace {

const toy::Mark mark("good");

void make_tall(toy::ToyOptions& options) { options.height = 7; }

void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, toy::ToyRectangle, toy::ToyOptions>(
      "rectangle", "A rectangle.", {phraseq::preset("rectangle_tall", "Seven rows.", &make_tall)});
}

}  // namespace

PHRASEQ_PLUGIN("good", "1.2.3", "Nothing wrong with it", register_components)
