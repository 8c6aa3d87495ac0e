#include "core/run/training/warnings/data_warnings.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/random.h"
#include "core/data/joined/data_folders.h"

namespace phraseq {
namespace {

/// Below this number of training tokens per type, most types are too rare to learn. Multi30k with
/// 10,000 subwords has about 45.
constexpr double kTokensPerType = 20.0;
constexpr double kShareOfOverlap = 0.01;
constexpr int64_t kMaxCompared = 5'000'000;  ///< pairs; reading more would delay the start

uint64_t hash_of(const std::vector<int64_t>& ids, uint64_t hash) {
  for (const int64_t id : ids) hash = mix_seeds(hash, static_cast<uint64_t>(id));
  return hash;
}

uint64_t hash_of(const Example& example) {
  return hash_of(example.target, mix_seeds(hash_of(example.source, 1), 2));
}

int64_t target_tokens(const Corpus& corpus) {
  int64_t tokens = 0;
  for (int64_t i = 0; i < corpus.size(); ++i) tokens += corpus.target_length(i);
  return tokens;
}

/// The number of types that can be learned from the text: those that occurred when the dictionary
/// was made.
int64_t used_types(const Dictionary& dictionary) {
  int64_t types = 0;
  for (int64_t id = kUnk + 1; id < dictionary.size(); ++id) types += dictionary.count(id) > 0;
  return types;
}

/// Warns if the task finds phrases that the architecture does not use.
void warn_of_unread_phrases(const TranslationModel& translation_model) {
  if (translation_model.task->architecture_setup().extras.contains(kPhraseSlots) &&
      !translation_model.model->conventions().reads_phrases) {
    log_warning(fmt::format("the architecture '{}' does not use the phrases of the task '{}'",
                            translation_model.architecture_selection.name,
                            translation_model.task_selection.name));
  }
}

}  // namespace

void warn_of_vocabulary(const Dictionary& dictionary, const Corpus& training) {
  const int64_t types = used_types(dictionary);
  const int64_t tokens = target_tokens(training);
  if (types == 0 || static_cast<double>(tokens) >= kTokensPerType * static_cast<double>(types))
    return;
  log_warning(fmt::format(
      "the dictionary has {} types for {} target tokens of training text, {:.1f} per type: most "
      "types are too rare to be learned. Preprocess with fewer --subwords or BPE merges, or, if "
      "they are whole words, with a smaller --nwordstgt (--nwordssrc for a joined dictionary or a "
      "language model)",
      types,
      tokens,
      static_cast<double>(tokens) / static_cast<double>(types)));
}

int64_t common_pairs(const Corpus& some, const Corpus& others) {
  std::unordered_set<uint64_t> wanted, found;
  for (int64_t i = 0; i < some.size(); ++i) wanted.insert(hash_of(some.get(i)));
  for (int64_t i = 0; i < std::min(others.size(), kMaxCompared); ++i) {
    const uint64_t hash = hash_of(others.get(i));
    if (wanted.contains(hash))
      found.insert(hash);
  }
  int64_t common = 0;
  for (int64_t i = 0; i < some.size(); ++i) common += found.contains(hash_of(some.get(i)));
  return common;
}

void warn_of_overlap(const Corpus& training, const Corpus& validation, const std::string& split) {
  const int64_t common = common_pairs(validation, training);
  if (static_cast<double>(common) <= kShareOfOverlap * static_cast<double>(validation.size()))
    return;
  log_warning(
      fmt::format("{} of {} pairs of the split '{}' are also in the training set: validation "
                  "results will be too good. Remove these pairs from the training text",
                  common,
                  validation.size(),
                  split));
}

void warn_of_data(const TrainRun& run,
                  const TranslationModel& translation_model,
                  const Corpus& training) {
  warn_of_unread_phrases(translation_model);
  if (data_folders(run.components.data).size() == 1)  // one of several is not representative
    warn_of_vocabulary(translation_model.task->target_dictionary(), training);
  if (run.validation.disable_validation)
    return;
  for (const std::string& subset : run.validation.subsets())
    warn_of_overlap(training, *translation_model.open(subset, /*training=*/false), subset);
}

}  // namespace phraseq
