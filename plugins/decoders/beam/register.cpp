#include <c10/core/InferenceMode.h>

#include "core/plugin/plugin.h"
#include "core/search/decoder.h"
#include "core/search/decoders/beam_search.h"
#include "core/search/decoders/greedy_search.h"

namespace {

using namespace phraseq;  // registration only

/// The departures from plain beam search.
void describe_variants(OptionTable& table, BeamSettings& o) {
  table.field(
      "shrink-beam", o.shrink, "Reduce the beam by one for each finished hypothesis, as in dl4mt.");
  table.field("recombine",
              o.recombine,
              "Merge hypotheses with the same strings, where one contains a phrase of a phrase "
              "memory and another the same words one by one: their probabilities are added.");
  table
      .field("diverse-beam-groups",
             o.diverse.groups,
             "Diverse beam search: number of groups, a divisor of --beam; -1 = off.")
      .in(-1, 10000);
  table
      .field("diverse-beam-strength",
             o.diverse.strength,
             "Amount that is subtracted from the score of a token for each time that an earlier "
             "group of --diverse-beam-groups chose it.")
      .in(0, kMaxPenalty);
  table
      .field("diversity-rate",
             o.diversity_rate,
             "Beam search with diverse siblings: subtract this rate, times the rank, from each "
             "continuation of a hypothesis; 0 or less = off.")
      .in(-kMaxPenalty, kMaxPenalty);
  table
      .field("constraints",
             o.constraints,
             kConstraintOrderNames,
             "Phrases that the translation must contain follow each line of text, separated by "
             "TABs: in their order (ordered) or in any order (unordered).")
      .bare_value("ordered");
}

struct BeamOptions : SearchOptions {
  BeamSettings beam;

  void describe(OptionTable& table) override {
    table.field("beam", beam.beam, "Beam size.").in(1, 10000);
    table.field("nbest", beam.nbest, "Number of hypotheses to output.").in(1, 10000);
    describe_variants(table, beam);
    SearchOptions::describe(table);
  }

  std::vector<std::string> problems() const override {
    auto problems = SearchOptions::problems();
    if (beam.nbest > beam.beam)
      problems.emplace_back("--nbest is greater than --beam");
    for (auto& problem : beam.problems()) problems.push_back(std::move(problem));
    const bool is_variant = beam.diverse.groups > 0 || beam.diversity_rate > 0 ||
                            beam.constraints != ConstraintOrder::kNone;
    if (is_variant && constraints.match_source_len) {
      problems.emplace_back(
          "--match-source-len cannot be combined with diverse beams or --constraints");
    }
    return problems;
  }
};

class BeamDecoder : public Decoder {
 public:
  BeamDecoder(const BeamOptions& options, const DecoderSetup& /*setup*/) : options_(options) {}

  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override {
    const c10::InferenceMode guard;
    const bool needs_all_scores =
        options_.beam.recombine || options_.beam.constraints != ConstraintOrder::kNone;
    SearchInput input(request, options_, options_.beam.beam, needs_all_scores);
    return options_.beam.is_greedy() ? greedy_search(input, options_)
                                     : beam_search(input, options_, options_.beam);
  }

 private:
  BeamOptions options_;
};

void register_components(Registry& registry) {
  registry.add<Decoder, BeamDecoder, BeamOptions>("beam", "Beam search, as in fairseq");
}

}  // namespace

PHRASEQ_PLUGIN("decoder-beam", PHRASEQ_VERSION, "Beam search", register_components)
