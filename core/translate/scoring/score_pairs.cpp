#include "core/translate/scoring/score_pairs.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/translate/scoring/score_targets.h"

namespace phraseq {
namespace {

/// The maximum lengths that every model accepts.
struct Limits {
  int64_t source = std::numeric_limits<int64_t>::max();
  int64_t target = std::numeric_limits<int64_t>::max();

  explicit Limits(const std::vector<TranslationModel>& models) {
    for (const TranslationModel& model : models) {
      source = std::min(source, model.max_source_tokens());
      target = std::min(target, model.model->max_target_positions());
    }
  }
};

void check_length(const std::vector<int64_t>& tokens,
                  int64_t limit,
                  std::string_view what,
                  const TextPlace& place) {
  if (static_cast<int64_t>(tokens.size()) <= limit)
    return;
  throw DataError(
      place,
      fmt::format("the {} has {} tokens, the model accepts at most {}", what, tokens.size(), limit),
      "Remove the line; nothing was scored.");
}

/// Encodes both translations of some pairs; the second one only if it differs from the first.
std::vector<Example> encode_pairs(const Task& task,
                                  const Limits& limits,
                                  const score::ContrastiveSet& set,
                                  size_t begin,
                                  size_t end) {
  std::vector<Example> examples;
  for (size_t i = begin; i < end; ++i) {
    const auto& pair = set.pairs[i];
    const TextPlace place{set.path, pair.line, 0};
    Example reference = task.encode(pair.source, pair.reference);
    Example contrastive = task.encode(pair.source, pair.contrastive);
    check_length(reference.source, limits.source, "source", place);
    check_length(reference.target, limits.target, "reference", place);
    check_length(contrastive.target, limits.target, "contrastive translation", place);
    reference.id = contrastive.id = static_cast<int64_t>(i);
    if (pair.tree) {
      const TextPlace tree_place{fmt::format("{}, tree", set.path), pair.line, 0};
      reference.extras[kTreeExtra] = task.encode_tree(pair.source, *pair.tree, tree_place);
      contrastive.extras = reference.extras;
    }
    const bool same = reference.target == contrastive.target;
    examples.push_back(std::move(reference));
    if (!same)
      examples.push_back(std::move(contrastive));
  }
  return examples;
}

}  // namespace

std::vector<score::PairScores> score_pairs(const std::vector<TranslationModel>& models,
                                           const score::ContrastiveSet& set,
                                           const TranslationSettings& settings,
                                           int64_t buffer_size) {
  const Limits limits(models);
  const Task& task = *models.front().task;
  std::vector<score::PairScores> scores(set.pairs.size());
  std::vector<bool> has_reference(set.pairs.size());
  for (size_t begin = 0; begin < set.pairs.size(); begin += static_cast<size_t>(buffer_size)) {
    const size_t end = std::min(set.pairs.size(), begin + static_cast<size_t>(buffer_size));
    auto examples = encode_pairs(task, limits, set, begin, end);
    for (const Translation& scored : score_targets(models, std::move(examples), settings)) {
      const auto place = static_cast<size_t>(scored.example.id);
      const double log_probability = scored.hypotheses.front().log_probability;
      if (!has_reference[place])
        scores[place].reference = log_probability;
      scores[place].contrastive = log_probability;
      has_reference[place] = true;
    }
  }
  return scores;
}

}  // namespace phraseq
