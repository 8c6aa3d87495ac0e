#include "core/translate/extras/lexical_shortlist.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/phrase_memory/shortlist/lexical_table.h"

namespace phraseq {
namespace {

struct Pair {
  double probability;
  int64_t target;
};

/// Throws if no pair consists of words of the dictionaries; warns if only a few do.
void check_use(const std::string& path, int64_t used, int64_t pairs) {
  if (used == 0) {
    throw DataError(
        fmt::format("{}: none of {} pairs has words of the model's dictionaries", path, pairs),
        "Build the shortlist from the model's training text in the model's subwords.");
  }
  if (used < pairs / 2) {
    log_warning(
        fmt::format("{}: only {} of {} pairs have words of the model's dictionaries: if the "
                    "model has subwords, build the shortlist from training text in these subwords",
                    path,
                    used,
                    pairs));
  }
}

/// The pairs of a table whose words are both in the dictionaries, by source id.
std::vector<std::vector<Pair>> read_pairs(const std::string& path,
                                          const Dictionary& source,
                                          const Dictionary& target) {
  std::vector<std::vector<Pair>> pairs(static_cast<size_t>(source.size()));
  int64_t used = 0, lines = 0;
  read_lexical_table(
      path, [&](std::string_view target_word, std::string_view source_word, double probability) {
        ++lines;
        if (!source.contains(source_word) || !target.contains(target_word))
          return;
        ++used;
        pairs[static_cast<size_t>(source.id(source_word))].push_back(
            {probability, target.id(target_word)});
      });
  check_use(path, used, lines);
  return pairs;
}

/// The ids of the `best` most probable targets with a probability above 0, sorted; among equally
/// probable ones, the more frequent words are preferred.
std::vector<int64_t> best_targets(std::vector<Pair> pairs, int64_t best) {
  std::erase_if(pairs, [](const Pair& pair) { return pair.probability <= 0; });
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.probability > b.probability || (a.probability == b.probability && a.target < b.target);
  });
  pairs.resize(std::min(pairs.size(), static_cast<size_t>(best)));
  std::vector<int64_t> targets;
  for (const Pair& pair : pairs) targets.push_back(pair.target);
  std::sort(targets.begin(), targets.end());
  return targets;
}

}  // namespace

LexicalShortlist LexicalShortlist::read(const std::string& path,
                                        const Dictionary& source,
                                        const Dictionary& target,
                                        const ShortlistSize& size) {
  auto pairs = read_pairs(path, source, target);
  LexicalShortlist shortlist;
  for (auto& of_word : pairs)
    shortlist.translations_.push_back(best_targets(std::move(of_word), size.best));
  shortlist.always_.resize(
      static_cast<size_t>(std::clamp<int64_t>(size.frequent, kUnk + 1, target.size())));
  std::iota(shortlist.always_.begin(), shortlist.always_.end(), 0);
  shortlist.copies_source_ = source == target;
  return shortlist;
}

std::vector<int64_t> LexicalShortlist::candidates(std::span<const int64_t> source) const {
  std::vector<int64_t> found = always_;
  for (const int64_t id : source) {
    const auto& translations = translations_.at(static_cast<size_t>(id));
    found.insert(found.end(), translations.begin(), translations.end());
    if (copies_source_)
      found.push_back(id);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace phraseq
