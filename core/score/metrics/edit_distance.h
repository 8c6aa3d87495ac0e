#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

using WordRow = std::vector<uint32_t>;

enum class Edit : uint8_t { kKeep, kSubstitute, kInsert, kDelete, kUnreached };

/// Edit distance between a hypothesis and a fixed reference, in sacrebleu's version of tercom's
/// beam.
///
/// Only cells within 25 of a pseudo-diagonal are stored and filled (more if the lengths differ
/// extremely), so memory grows with the sum of the lengths and not with their product. Among equal
/// costs, keeping or substituting is preferred to deleting, and deleting to inserting.
class PHRASEQ_API BeamEditDistance {
 public:
  explicit BeamEditDistance(WordRow reference) : reference_(std::move(reference)) {}

  /// Returns the cost of turning the hypothesis into the reference, and the edits, from first to
  /// last. The hypothesis becomes the base of `cost_of_variant`.
  int64_t align(const WordRow& hypothesis, std::vector<Edit>& edits);

  /// The cost of a hypothesis that is as long as the base and equal to it before `first_change`:
  /// the rows up to that point are not computed again.
  int64_t cost_of_variant(const WordRow& hypothesis, size_t first_change);

  const WordRow& reference() const { return reference_; }

 private:
  struct Beam {
    size_t begin;
    size_t end;
  };
  void start(size_t hypothesis_length);
  /// Costs and operations of a row of the base, from the row above it.
  void fill_row(const WordRow& hypothesis, size_t row);
  /// The edits on the way from the last cell of the base back to the first, in order.
  void trace_edits(size_t hypothesis_length, std::vector<Edit>& edits) const;
  Beam beam_of_row(size_t row, size_t hypothesis_length) const;
  Beam stored_cells(size_t row) const;
  void copy_base_row(size_t row);

  WordRow reference_;
  size_t columns_ = 0;
  std::vector<Beam> beams_;     ///< by row of the base
  std::vector<size_t> shifts_;  ///< by row: column + shift = index in base_ and operations_
  std::vector<int64_t> base_;   ///< the stored cells of all rows, one row after the other
  std::vector<Edit> operations_;
  std::vector<int64_t> above_;  ///< above_ and current_: two rows for variants
  std::vector<int64_t> current_;
};

}  // namespace phraseq::score
