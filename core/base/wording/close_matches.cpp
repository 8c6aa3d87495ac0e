#include "core/base/wording/close_matches.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text_fields.h"
#include "core/base/wording/alternatives.h"

namespace phraseq {
namespace {

/// Optimal string alignment distance.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped)
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

constexpr size_t kMaxShown = 3;

/// How far a name is from a word. A word of three letters or more that begins the name counts as
/// one edit. A word of four letters or more inside the name counts as at most two, and so does a
/// name that begins a compound word ("beam" of "beam-size").
size_t distance_of(std::string_view word, std::string_view name, size_t edits) {
  const bool begins = word.size() >= 3 && name.starts_with(word);
  const bool is_a_part = word.size() >= 4 && name.find(word) != name.npos;
  const bool is_begun = name.size() >= 3 && word.starts_with(std::string(name) + "-");
  return begins ? 1 : is_a_part || is_begun ? std::min<size_t>(edits, 2) : edits;
}

/// The first of the `known` names within `limit`, sorted by distance and then by edits.
std::vector<std::string> ranked_names(std::string_view name,
                                      std::span<const std::string> known,
                                      size_t limit) {
  std::vector<std::tuple<size_t, size_t, std::string>> ranked;
  const std::string wanted = to_ascii_lowercase(name);
  for (const std::string& candidate : known) {
    const std::string word = to_ascii_lowercase(candidate);
    const size_t edits = edit_distance(wanted, word);
    const size_t distance = distance_of(wanted, word, edits);
    if (distance <= limit)
      ranked.emplace_back(distance, edits, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), kMaxShown));
  std::vector<std::string> result;
  for (auto& entry : ranked) result.push_back(std::move(std::get<std::string>(entry)));
  return result;
}

}  // namespace

std::vector<std::string> close_matches(std::string_view name, std::span<const std::string> known) {
  return ranked_names(name, known, std::max<size_t>(1, name.size() / 3));
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known) {
  return ranked_names(name, known, std::numeric_limits<size_t>::max());
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const auto near = close_matches(name, known);
  if (near.empty())
    return {};
  std::vector<std::string> quoted;
  for (const std::string& candidate : near) quoted.push_back(fmt::format("'{}'", candidate));
  return fmt::format("did you mean {}?", alternatives(quoted));
}

std::string nearest_text(std::string_view name, std::span<const std::string> known) {
  if (known.empty() || !close_matches(name, known).empty())
    return {};
  return fmt::format("Nearest names: {}. ", fmt::join(nearest_names(name, known), ", "));
}

}  // namespace phraseq
