#include <c10/core/InferenceMode.h>

#include "core/plugin/plugin.h"
#include "core/search/decoder.h"
#include "core/search/decoders/sampling_search.h"

namespace phraseq {
namespace {

struct SamplingOptions : SearchOptions {
  SamplingSettings sampling;
  int64_t beam = 0;

  void describe(OptionTable& table) override {
    table.field("nbest", sampling.samples, "Translations that are drawn for each sentence.")
        .at_least(1);
    table.field("beam", beam, "Accepted for fairseq's sake: 0, or the same as --nbest.")
        .at_least(0);
    table.field("temperature", sampling.temperature, "Above 1 draws more evenly, below 1 less.")
        .in(1e-3, 1e3);
    table.field(
        "sampling-topk", sampling.top_k, "Draw from the K most probable tokens only; -1 = all.");
    table
        .field("sampling-topp",
               sampling.top_p,
               "Draw from the most probable tokens that have this mass together; -1 = all.")
        .in(-1, 1);
    SearchOptions::describe(table);
  }

  std::vector<std::string> problems() const override {
    auto problems = SearchOptions::problems();
    if (beam != 0 && beam != sampling.samples) {
      problems.emplace_back(
          "--beam and --nbest differ, but sampling follows no more than it gives back");
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
  registry.add<Decoder, SamplingDecoder, SamplingOptions>(
      "sampling", "Draws translations at random, reproducibly.");
}

}  // namespace
}  // namespace phraseq

PHRASEQ_PLUGIN("decoder-sampling", PHRASEQ_VERSION, "Sampling", phraseq::register_components)
