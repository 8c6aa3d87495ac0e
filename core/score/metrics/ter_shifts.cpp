#include "core/score/metrics/ter_shifts.h"

#include <algorithm>
#include <tuple>

namespace phraseq::score {
namespace {

constexpr size_t kMaxShiftSize = 10;
constexpr size_t kMaxShiftDistance = 50;
constexpr int kMaxCandidates = 1000;

/// The hypothesis word that each reference word is aligned with (-1: the position before the first
/// word), and where the two sides differ.
struct Alignment {
  std::vector<int64_t> hypothesis_of;
  std::vector<bool> reference_wrong;
  std::vector<bool> hypothesis_wrong;
};

Alignment read_alignment(const std::vector<Edit>& edits) {
  Alignment alignment;
  int64_t position = -1;
  for (const Edit edit : edits) {
    const bool wrong = edit != Edit::kKeep;
    if (edit != Edit::kInsert) {
      ++position;
      alignment.hypothesis_wrong.push_back(wrong);
    }
    if (edit != Edit::kDelete) {
      alignment.hypothesis_of.push_back(position);
      alignment.reference_wrong.push_back(wrong);
    }
  }
  return alignment;
}

/// A phrase that both sides contain: where it begins in each of them, and its length.
struct Match {
  size_t hypothesis;
  size_t reference;
  size_t length;
};

bool any_wrong(const std::vector<bool>& wrong, size_t begin, size_t length) {
  const auto first = wrong.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
         first + static_cast<std::ptrdiff_t>(length);
}

/// Whether a phrase may be moved: it contains errors on both sides, and is not already aligned with
/// a part of itself.
bool may_move(const Match& match, const Alignment& alignment) {
  if (!any_wrong(alignment.hypothesis_wrong, match.hypothesis, match.length))
    return false;
  if (!any_wrong(alignment.reference_wrong, match.reference, match.length))
    return false;
  const int64_t across = alignment.hypothesis_of[match.reference];
  const auto begin = static_cast<int64_t>(match.hypothesis);
  return across < begin || across >= begin + static_cast<int64_t>(match.length);
}

/// Moves the phrase to before position `target` or, if `target` lies within it, to the right by
/// `target - start` words.
WordRow move_phrase(const WordRow& words, size_t start, size_t length, size_t target) {
  WordRow result = words;
  const auto at = [&](size_t index) {
    return result.begin() + static_cast<std::ptrdiff_t>(std::min(index, words.size()));
  };
  if (target < start) {
    std::rotate(at(target), at(start), at(start + length));
  } else if (target > start + length) {
    std::rotate(at(start), at(start + length), at(target));
  } else {
    std::rotate(at(start), at(start + length), at(length + target));
  }
  return result;
}

/// The shift of a phrase from `start` to `target`, and the resulting words; length 0 means no
/// shift.
struct Shift {
  int64_t gain = 0;
  size_t length = 0;
  size_t start = 0;
  size_t target = 0;
  WordRow words;

  bool better_than(const Shift& other) const {
    return std::tie(gain, length, other.start, other.target, words) >
           std::tie(other.gain, other.length, start, target, other.words);
  }
};

/// One round of the search.
class ShiftSearch {
 public:
  ShiftSearch(const WordRow& hypothesis, BeamEditDistance& distance, int& candidates)
      : hypothesis_(hypothesis), distance_(distance), candidates_(candidates) {
    std::vector<Edit> edits;
    cost_ = distance_.align(hypothesis_, edits);
    alignment_ = read_alignment(edits);
  }

  int64_t cost() const { return cost_; }

  Shift find_best() {
    const auto& reference = distance_.reference();
    for (size_t start = 0; start < hypothesis_.size(); ++start) {
      const size_t end = std::min(reference.size(), start + kMaxShiftDistance + 1);
      for (size_t place = start - std::min(start, kMaxShiftDistance); place < end; ++place) {
        if (!try_phrases(start, place))
          return best_;
      }
    }
    return best_;
  }

 private:
  /// Tries the phrases that begin at these positions of the two sides. Returns false if the search
  /// must end.
  bool try_phrases(size_t start, size_t place) {
    const auto& reference = distance_.reference();
    const size_t longest =
        std::min({kMaxShiftSize, hypothesis_.size() - start, reference.size() - place});
    for (size_t length = 1; length <= longest; ++length) {
      if (hypothesis_[start + length - 1] != reference[place + length - 1])
        break;
      if (!may_move({start, place, length}, alignment_))
        continue;
      try_targets({start, place, length});
      if (candidates_ >= kMaxCandidates)
        return false;
    }
    return true;
  }

  /// Tries the positions after the hypothesis words that are aligned with the reference word before
  /// the phrase and with each word of the phrase.
  void try_targets(const Match& match) {
    int64_t previous = -1;
    const auto length = static_cast<int64_t>(match.length);
    for (int64_t offset = -1; offset < length; ++offset) {
      const int64_t place = static_cast<int64_t>(match.reference) + offset;
      const int64_t target =
          place < 0 ? 0 : alignment_.hypothesis_of[static_cast<size_t>(place)] + 1;
      if (target == previous)
        continue;
      previous = target;
      consider(match, static_cast<size_t>(target));
    }
  }

  void consider(const Match& match, size_t target) {
    Shift shift{0,
                match.length,
                match.hypothesis,
                target,
                move_phrase(hypothesis_, match.hypothesis, match.length, target)};
    const size_t first_change = std::min(match.hypothesis, target);
    shift.gain = cost_ - distance_.cost_of_variant(shift.words, first_change);
    ++candidates_;
    if (best_.length == 0 || shift.better_than(best_))
      best_ = std::move(shift);
  }

  const WordRow& hypothesis_;
  BeamEditDistance& distance_;
  int& candidates_;
  int64_t cost_ = 0;
  Alignment alignment_;
  Shift best_;
};

}  // namespace

int64_t count_ter_edits(const WordRow& hypothesis, const WordRow& reference) {
  if (reference.empty())
    return static_cast<int64_t>(hypothesis.size());
  BeamEditDistance distance(reference);
  WordRow words = hypothesis;
  int candidates = 0;
  for (int64_t shifts = 0;; ++shifts) {
    ShiftSearch search(words, distance, candidates);
    Shift best = search.find_best();
    if (candidates >= kMaxCandidates || best.gain <= 0)
      return shifts + search.cost();
    words = std::move(best.words);
  }
}

}  // namespace phraseq::score
