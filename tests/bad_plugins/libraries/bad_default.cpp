// Can be loaded, but describes a default outside of its own range.
#include <stdexcept>

#include "toy.h"

namespace {

struct CrookedOptions final : phraseq::Options {
  double share = 1.5;
  void describe(phraseq::OptionTable& table) override {
    table.field("share", share, "A share.").in(0.0, 1.0);
  }
};

class Crooked final : public toy::Toy {
 public:
  Crooked(const CrookedOptions&, const toy::Setup&) { throw std::runtime_error("cannot be made"); }
  int64_t area() const override { return 0; }
};

void register_components(phraseq::Registry& registry) {
  registry.add<toy::Toy, Crooked, CrookedOptions>("crooked", "Out of range.");
}

}  // namespace

PHRASEQ_PLUGIN("bad_default", "1.0", "Crooked", register_components)
