#include "core/search/search_options.h"

namespace phraseq {
namespace {

void describe_length(OptionTable& table, SearchOptions& o) {
  table
      .field("max-len-a",
             o.length_cap.a,
             "Generate at most A * source length + B tokens (without </s>).")
      .at_least(0);
  table.field("max-len-b", o.length_cap.b, "See --max-len-a.").at_least(0);
  table.field("max-len-form",
              o.length_cap.form,
              kLengthCapFormNames,
              "Form of the maximum length. linear: as in --max-len-a; neutron: x + max(64, x/4) "
              "with the source length x, including </s>.");
  table
      .field(
          "min-len", o.constraints.min_length, "Minimum number of generated tokens (without </s>).")
      .at_least(0);
  table
      .field("lenpen",
             o.length_penalty.alpha,
             "Length penalty: below 1 favors shorter, above 1 favors longer translations.")
      .in(-50.0, 50.0);
  table.field("length-penalty-form",
              o.length_penalty.form,
              kLengthPenaltyFormNames,
              "Form of the length penalty. power: logp / length^lenpen; wu: logp / ((5 + length) / "
              "6)^lenpen; none: logp.");
  table.field("unnormalized",
              o.unnormalized,
              "Compare unnormalized hypothesis scores (the same as --length-penalty-form none).");
}

void describe_tokens(OptionTable& table, SearchOptions& o) {
  table
      .field("unkpen",
             o.constraints.unknown_penalty,
             "Unknown word penalty: below 0 produces more <unk>, above 0 produces fewer.")
      .in(-kMaxPenalty, kMaxPenalty);
  table
      .field("no-repeat-ngram-size",
             o.constraints.no_repeat_ngram_size,
             "Block repeated n-grams of this size; 0 = off.")
      .at_least(0);
  table.field(
      "match-source-len",
      o.constraints.match_source_len,
      "Generate exactly as many tokens as the source has, not counting special tokens. </s> then "
      "does not contribute to the score, and --max-len-* and --min-len have no effect.");
  table
      .field("prefix-size", o.prefix_size, "Force the first N tokens of the reference as a prefix.")
      .at_least(0);
  table
      .field("temperature",
             o.temperature,
             "Temperature of the softmax: values above 1 make probabilities more equal, values "
             "below 1 less equal.")
      .in(1e-3, 1e3);
}

}  // namespace

void SearchOptions::describe(OptionTable& table) {
  describe_length(table, *this);
  describe_tokens(table, *this);
}

std::vector<std::string> SearchOptions::problems() const {
  std::vector<std::string> found;
  if (unnormalized && length_penalty.form == LengthPenaltyForm::kWu)
    found.emplace_back(
        "--unnormalized means --length-penalty-form none, but --length-penalty-form wu was also "
        "given");
  if (unnormalized && length_penalty.alpha != LengthPenalty{}.alpha)
    found.emplace_back("--unnormalized: scores have no length penalty; do not use --lenpen");
  if (length_cap.form == LengthCapForm::kNeutron &&
      (length_cap.a != LengthCap{}.a || length_cap.b != LengthCap{}.b)) {
    found.emplace_back(
        "--max-len-form neutron does not use --max-len-a and --max-len-b: it allows "
        "max(64, a quarter of the source) more tokens than the source has");
  }
  const bool linear = length_cap.form == LengthCapForm::kLinear && length_cap.a == 0;
  if (!constraints.match_source_len && linear &&
      static_cast<double>(constraints.min_length) > length_cap.b) {
    found.emplace_back("--min-len is greater than --max-len-b");
  }
  return found;
}

double SearchOptions::score(double log_probability, int64_t length) const {
  return unnormalized ? log_probability : length_penalty.score(log_probability, length);
}

}  // namespace phraseq
