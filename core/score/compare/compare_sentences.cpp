#include "core/score/compare/compare_sentences.h"

#include <algorithm>
#include <numeric>

namespace phraseq::score {
namespace {

std::vector<double> sentence_scores(const Metric& metric,
                                    const ScoreInput& input,
                                    size_t system,
                                    int threads) {
  std::vector<double> scores;
  for (const auto& score :
       score_sentences(metric, input.systems[system].lines, input.references, threads))
    scores.push_back(score.value);
  return scores;
}

ComparedSentence sentence_at(const ScoreInput& input,
                             const Lines* source,
                             size_t system,
                             size_t line) {
  ComparedSentence sentence;
  sentence.line = line + 1;
  if (source != nullptr)
    sentence.source = (*source)[line];
  for (const auto& reference : input.references) sentence.references.push_back(reference[line]);
  sentence.baseline_text = input.systems.front().lines[line];
  sentence.text = input.systems[system].lines[line];
  return sentence;
}

}  // namespace

std::vector<SentenceDifferences> compare_sentences(
    const Metric& metric, const ScoreInput& input, const Lines* source, size_t most, int threads) {
  const auto baseline = sentence_scores(metric, input, 0, threads);
  const double direction = metric.higher_is_better() ? 1 : -1;
  std::vector<SentenceDifferences> result;
  for (size_t system = 1; system < input.systems.size(); ++system) {
    const auto scores = sentence_scores(metric, input, system, threads);
    const auto gain = [&](size_t line) { return direction * (scores[line] - baseline[line]); };
    std::vector<size_t> lines(scores.size());
    std::iota(lines.begin(), lines.end(), size_t{0});
    std::stable_sort(
        lines.begin(), lines.end(), [&](size_t a, size_t b) { return gain(a) > gain(b); });
    SentenceDifferences& part = result.emplace_back();
    part.system = input.systems[system].name;
    for (const size_t line : lines)
      ++(gain(line) > 0 ? part.better : gain(line) < 0 ? part.worse : part.equal);
    const auto take = [&](size_t line, std::vector<ComparedSentence>& list) {
      list.push_back(sentence_at(input, source, system, line));
      list.back().baseline = baseline[line];
      list.back().score = scores[line];
      list.back().gain = gain(line);
    };
    for (size_t i = 0; i < std::min(most, part.better); ++i) take(lines[i], part.most_better);
    std::stable_sort(
        lines.begin(), lines.end(), [&](size_t a, size_t b) { return gain(a) < gain(b); });
    for (size_t i = 0; i < std::min(most, part.worse); ++i) take(lines[i], part.most_worse);
  }
  return result;
}

}  // namespace phraseq::score
