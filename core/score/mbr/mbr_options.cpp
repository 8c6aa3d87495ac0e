#include "core/score/mbr/mbr_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::score {

void MbrOptions::describe(OptionTable& table) {
  table.section("Minimum Bayes risk");
  table
      .field("inputs",
             inputs,
             "Files with hypotheses; - = standard input. The hypotheses for a sentence in several "
             "files form one list.")
      .positional()
      .value_name("FILE")
      .required();
  table.field("format",
              format,
              kNBestFormatNames,
              "fairseq: the D- lines of generate, or its H- lines if there are none; moses: ID ||| "
              "text ||| ... ||| score; plain: one text per line.");
  table.field("nbest", nbest, "Number of lines per sentence with --format plain.").at_least(1);
  table.field("metric", metric, "Name of the metric; its options are listed below.");
  table.field("target-lang", target_language, "Target language, for metrics that depend on it.")
      .short_flag("t")
      .value_name("LANG");
  table.field("weights",
              weights,
              kMbrWeightsNames,
              "Weights of the hypotheses as references. uniform: for samples; probability: from "
              "the P- lines (fairseq) or scores (moses) in the input.");
  table.field("output", output, "File for the chosen texts; - = standard output.")
      .value_name("FILE")
      .writes_file();
  plugins.describe(table);
}

std::vector<std::string> MbrOptions::problems() const {
  std::vector<std::string> found;
  if (format == NBestFormat::kPlain && weights == MbrWeights::kProbability)
    found.emplace_back("--weights probability needs scores, and --format plain has none");
  if (format != NBestFormat::kPlain && nbest != 1)
    found.emplace_back("--nbest needs --format plain; other formats have ids");
  return found;
}

std::vector<NBestList> read_all_lists(const MbrOptions& options) {
  std::vector<NBestList> all;
  for (const std::string& path : options.inputs) {
    const auto lists = read_nbest_lists(
        path, options.format, options.nbest, options.weights == MbrWeights::kProbability);
    if (&path != &options.inputs.front() && lists.size() != all.size()) {
      throw DataError(
          {path, 0, 0},
          fmt::format(
              "{} sentences, but {} has {}", lists.size(), options.inputs.front(), all.size()),
          "All files must have hypotheses for the same sentences.");
    }
    all.resize(lists.size());
    for (size_t i = 0; i < lists.size(); ++i) {
      auto& [texts, scores] = all[i];
      texts.insert(texts.end(), lists[i].texts.begin(), lists[i].texts.end());
      scores.insert(scores.end(), lists[i].scores.begin(), lists[i].scores.end());
    }
  }
  return all;
}

std::vector<std::string> choose_by_mbr(const std::vector<NBestList>& lists,
                                       const Metric& metric,
                                       MbrWeights weights) {
  std::vector<std::string> chosen;
  for (const NBestList& list : lists) {
    auto log_probabilities = list.scores;
    log_probabilities.resize(list.texts.size());
    const auto utilities =
        expected_utilities(metric, list.texts, mbr_weights(weights, log_probabilities));
    const auto best = std::max_element(utilities.begin(), utilities.end());
    chosen.push_back(list.texts[static_cast<size_t>(best - utilities.begin())]);
  }
  return chosen;
}

}  // namespace phraseq::score
