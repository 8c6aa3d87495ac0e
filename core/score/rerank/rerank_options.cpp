#include "core/score/rerank/rerank_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/line_reader.h"
#include "core/score/rerank/rerank_lists.h"

namespace phraseq::score {
namespace {

constexpr std::array<std::pair<std::string_view, double RerankWeights::*>, 4> kTunable = {
    {{"lenpen", &RerankWeights::lenpen},
     {"weight1", &RerankWeights::weight1},
     {"weight2", &RerankWeights::weight2},
     {"weight3", &RerankWeights::weight3}}};

double RerankWeights::*weight_of(const std::string& name) {
  for (const auto& [known, weight] : kTunable) {
    if (known == name)
      return weight;
  }
  return nullptr;
}

void describe_scores(OptionTable& table, RerankOptions& o) {
  table.section("Scores");
  table
      .field("input",
             o.input,
             "N-best lists: output of generate --format fairseq --nbest N; - = standard input.")
      .positional()
      .required()
      .value_name("FILE");
  table
      .field("write-pairs",
             o.write_pairs,
             "Only write PREFIX.src and PREFIX.hyp, the source and the symbols of each hypothesis, "
             "for phraseq rescore.")
      .value_name("PREFIX");
  table
      .field("source",
             o.source,
             "For --write-pairs: the text that was translated. The pairs are then plain text, for "
             "models with their own subwords.")
      .value_name("FILE");
  table
      .field("forward-scores",
             o.forward_scores,
             "ln p(target | source) of each hypothesis, one per line; default: the scores in the "
             "input.")
      .value_name("FILE");
  table.field("channel-scores", o.channel_scores, "ln p(source | target) of each hypothesis.")
      .value_name("FILE");
  table.field("lm-scores", o.lm_scores, "ln p(target) of each hypothesis.").value_name("FILE");
}

void describe_weights(OptionTable& table, RerankOptions& o) {
  table.section("Weights");
  table.field("weight1", o.weights.weight1, "Weight of the forward scores.").short_flag("a");
  table.field("weight2", o.weights.weight2, "Weight of the channel scores.").short_flag("b");
  table.field("weight3", o.weights.weight3, "Weight of the language model's scores.")
      .short_flag("c");
  table.field("lenpen",
              o.weights.lenpen,
              "Length penalty: the score is divided by the number of words to this power.");
  table.field("normalize",
              o.weights.normalize,
              "First divide the forward scores by the number of target tokens, and the other "
              "scores by the number of source tokens.");
}

void describe_tuning(OptionTable& table, RerankOptions& o) {
  table.section("Tuning");
  table
      .field("tune-param",
             o.tune,
             "Parameters whose values are found by random search: lenpen, weight1, weight2, "
             "weight3. Needs --references.")
      .value_name("NAME,...");
  table.field("lower-bound", o.lower_bound, "Lower bound of the search.");
  table.field("upper-bound", o.upper_bound, "Upper bound of the search.");
  table.field("num-trials", o.trials, "Number of trials; the first one uses the given weights.")
      .at_least(1);
  table.field("references", o.references, "Reference translations, one per source sentence.")
      .value_name("FILE");
  table.field("metric", o.metric, "Metric to optimize; its options are listed below.");
  table.field("target-lang", o.target_language, "Target language, for metrics that depend on it.")
      .short_flag("t")
      .value_name("LANG");
  table.field("seed", o.seed, "Seed of the search.").at_least(0);
}

/// Reports options that have no effect without others, or with --write-pairs.
void check_unused_of_rerank(const RerankOptions& o, std::vector<std::string>& found) {
  const RerankOptions defaults;
  if (!o.write_pairs.empty() && o.output != defaults.output)
    found.emplace_back("--write-pairs only writes the pairs: do not use --output");
  const bool chooses = !o.tune.empty() || o.weights.normalize ||
                       !(o.forward_scores + o.channel_scores + o.lm_scores).empty();
  if (!o.write_pairs.empty() && chooses)
    found.emplace_back(
        "--write-pairs only writes the pairs: do not use scores, --normalize or "
        "--tune-param");
  if (o.tune.empty() && (o.lower_bound != defaults.lower_bound ||
                         o.upper_bound != defaults.upper_bound || o.trials != defaults.trials)) {
    found.emplace_back("--lower-bound, --upper-bound and --num-trials need --tune-param");
  }
}

/// Reports weights of scores that are not given.
void check_weights(const RerankOptions& o, std::vector<std::string>& found) {
  const RerankOptions defaults;
  const auto require = [&](const char* weight, double value, double usual, const char* scores) {
    const bool is_tuned = std::ranges::find(o.tune, std::string_view(weight)) != o.tune.end();
    if (value != usual || is_tuned)
      found.push_back(
          fmt::format("{}{} needs --{}", is_tuned ? "--tune-param " : "--", weight, scores));
  };
  if (o.channel_scores.empty())
    require("weight2", o.weights.weight2, defaults.weights.weight2, "channel-scores");
  if (o.lm_scores.empty())
    require("weight3", o.weights.weight3, defaults.weights.weight3, "lm-scores");
}

}  // namespace

void RerankOptions::describe(OptionTable& table) {
  describe_scores(table, *this);
  describe_weights(table, *this);
  describe_tuning(table, *this);
  table.section("Result");
  table.field("output", output, "File for the chosen translations; - = standard output.")
      .value_name("FILE")
      .writes_file();
  plugins.describe(table);
}

std::vector<std::string> RerankOptions::problems() const {
  std::vector<std::string> found;
  for (const std::string& name : tune) {
    if (weight_of(name) == nullptr)
      found.push_back(
          fmt::format("--tune-param '{}': expected lenpen, weight1, weight2 or weight3", name));
  }
  if (tune.empty() == !references.empty())
    found.emplace_back("--tune-param and --references must be given together");
  if (!source.empty() && write_pairs.empty())
    found.emplace_back("--source needs --write-pairs");
  if (lower_bound > upper_bound)
    found.push_back(
        fmt::format("--lower-bound {} is greater than --upper-bound {}", lower_bound, upper_bound));
  check_unused_of_rerank(*this, found);
  check_weights(*this, found);
  return found;
}

std::vector<std::string> RerankOptions::files_read() const {
  return {input, source, forward_scores, channel_scores, lm_scores, references};
}

std::vector<TunedWeight> RerankOptions::tuned() const {
  std::vector<TunedWeight> all;
  for (const std::string& name : tune) all.push_back({weight_of(name), lower_bound, upper_bound});
  return all;
}

std::vector<RerankList> read_lists(const RerankOptions& options) {
  const bool needs_sources =
      options.write_pairs.empty() ? options.weights.normalize : options.source.empty();
  std::vector<RerankList> lists = read_rerank_lists(options.input, needs_sources);
  const std::array<std::pair<const std::string*, double RerankHypothesis::*>, 3> files = {
      {{&options.forward_scores, &RerankHypothesis::forward},
       {&options.channel_scores, &RerankHypothesis::channel},
       {&options.lm_scores, &RerankHypothesis::language}}};
  for (const auto& [file, score] : files) {
    if (!file->empty())
      read_scores(*file, score, lists);
  }
  return lists;
}

namespace {

/// Throws DataError unless there is one reference for each list.
std::vector<std::string> read_references(const RerankOptions& options,
                                         const std::vector<RerankList>& lists) {
  std::vector<std::string> references = read_lines(options.references);
  if (references.size() != lists.size()) {
    throw DataError({options.references, 0, 0},
                    fmt::format("{} lines, but {} has the hypotheses of {} sentences",
                                references.size(),
                                options.input,
                                lists.size()),
                    "Give one reference for each source sentence.");
  }
  return references;
}

}  // namespace

RerankWeights choose_weights(const RerankOptions& options,
                             const std::vector<RerankList>& lists,
                             const Metric& metric) {
  if (options.tune.empty())
    return options.weights;
  const TuningResult best = tune_weights(
      lists,
      read_references(options, lists),
      metric,
      {options.weights, options.tuned(), options.trials, static_cast<uint64_t>(options.seed)});
  log_info(
      fmt::format("best of {} trials: {} {:.2f} with --weight1 {} --weight2 {} --weight3 {} "
                  "--lenpen {}{}",
                  options.trials,
                  metric.name(),
                  best.score,
                  best.weights.weight1,
                  best.weights.weight2,
                  best.weights.weight3,
                  best.weights.lenpen,
                  best.weights.normalize ? " --normalize" : ""));
  return best.weights;
}

}  // namespace phraseq::score
