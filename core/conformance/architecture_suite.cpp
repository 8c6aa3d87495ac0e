#include "core/conformance/architecture_suite.h"

namespace phraseq::conformance {

std::vector<Check> architecture_suite(const Registry& registry,
                                      const Selection& selection,
                                      const std::string& folder) {
  std::vector<Check> all;
  for (auto& part : {forward_checks(registry, selection),
                     gradient_checks(registry, selection),
                     decoding_checks(registry, selection),
                     checkpoint_checks(registry, selection, folder)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace phraseq::conformance
