#include <c10/core/InferenceMode.h>

#include "core/plugin/plugin.h"
#include "core/search/decoder.h"
#include "core/search/decoders/greedy_search.h"

namespace {

using namespace phraseq;  // registration only

class GreedyDecoder : public Decoder {
 public:
  GreedyDecoder(const SearchOptions& options, const DecoderSetup& /*setup*/) : options_(options) {}

  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    const c10::InferenceMode guard;
    SearchInput input(request, options_, 1, /*needs_all_scores=*/false);
    return greedy_search(input, options_);
  }

 private:
  SearchOptions options_;
};

void register_components(Registry& registry) {
  registry.add<Decoder, GreedyDecoder, SearchOptions>(
      "greedy", "Greedy search: the most probable token in every step");
}

}  // namespace

PHRASEQ_PLUGIN("decoder-greedy", PHRASEQ_VERSION, "Greedy search", register_components)
