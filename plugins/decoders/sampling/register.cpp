#include <c10/core/InferenceMode.h>

#include "core/plugin/plugin.h"
#include "core/search/decoder.h"
#include "core/search/decoders/sampling_search.h"

namespace {

using namespace phraseq;  // registration only

struct SamplingOptions : SearchOptions {
  SamplingSettings sampling;
  int64_t beam = 0;

  void describe(OptionTable& table) override {
    table.field("nbest", sampling.samples, "Number of samples per sentence.").in(1, 10000);
    table.field("beam", beam, "Accepted for compatibility with fairseq: 0, or the same as --nbest.")
        .in(0, 10000);
    table.field("sampling-topk",
                sampling.top_k,
                "Sample from the K most probable tokens, unless --sampling-topp is above 0; 0 or "
                "less = all.");
    table
        .field("sampling-topp",
               sampling.top_p,
               "Sample from the smallest set of most probable tokens whose cumulative probability "
               "reaches P; 0 or less = all.")
        .in(-1, 1);
    SearchOptions::describe(table);
  }

  std::vector<std::string> problems() const override {
    auto problems = SearchOptions::problems();
    if (beam != 0 && beam != sampling.samples) {
      problems.emplace_back("--beam and --nbest differ, but sampling returns all its samples");
    }
    return problems;
  }
};

class SamplingDecoder : public Decoder {
 public:
  SamplingDecoder(const SamplingOptions& options, const DecoderSetup& /*setup*/)
      : options_(options) {}

  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    const c10::InferenceMode guard;
    SamplingSettings settings = options_.sampling;
    settings.seed = request.seed;
    SearchInput input(request, options_, settings.samples);
    return sampling_search(input, options_, settings);
  }

 private:
  SamplingOptions options_;
};

void register_components(Registry& registry) {
  registry.add<Decoder, SamplingDecoder, SamplingOptions>("sampling",
                                                          "Sampling with a reproducible seed");
}

}  // namespace

PHRASEQ_PLUGIN("decoder-sampling", PHRASEQ_VERSION, "Sampling", register_components)
