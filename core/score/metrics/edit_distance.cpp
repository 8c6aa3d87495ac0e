#include "core/score/metrics/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace phraseq::score {
namespace {

constexpr int64_t kUnreachable = int64_t{1} << 50;
constexpr double kBeamWidth = 25;

}  // namespace

/// Rows of the matrix belong to hypothesis prefixes, columns to reference prefixes; row 0 consists
/// of insertions. Of every row, only the cells that it or the next row uses are stored.
void BeamEditDistance::start(size_t hypothesis_length) {
  columns_ = reference_.size() + 1;
  beams_.assign(1, Beam{0, columns_});
  for (size_t row = 1; row <= hypothesis_length; ++row)
    beams_.push_back(beam_of_row(row, hypothesis_length));
  shifts_.clear();
  size_t cells = 0;
  for (size_t row = 0; row < beams_.size(); ++row) {
    const auto stored = stored_cells(row);
    shifts_.push_back(cells - stored.begin);
    cells += stored.end - stored.begin;
  }
  base_.assign(cells, kUnreachable);
  operations_.assign(cells, Edit::kUnreached);
  std::iota(base_.begin(), base_.begin() + static_cast<std::ptrdiff_t>(columns_), int64_t{0});
  std::fill_n(operations_.begin(), columns_, Edit::kInsert);
}

/// The stored cells of a row: the beam, the cell before it, and the cells after it that the next
/// row reads.
BeamEditDistance::Beam BeamEditDistance::stored_cells(size_t row) const {
  const Beam beam = beams_[row];
  const Beam next = beams_[std::min(row + 1, beams_.size() - 1)];
  return {std::max<size_t>(beam.begin, 1) - 1, std::max(beam.end, next.end)};
}

BeamEditDistance::Beam BeamEditDistance::beam_of_row(size_t row, size_t hypothesis_length) const {
  const double ratio =
      static_cast<double>(reference_.size()) / static_cast<double>(hypothesis_length);
  const double width = kBeamWidth < ratio / 2 ? std::ceil(ratio / 2 + kBeamWidth) : kBeamWidth;
  const double diagonal = std::floor(static_cast<double>(row) * ratio);
  const auto columns = static_cast<double>(columns_);
  const auto begin = static_cast<size_t>(std::max(0.0, diagonal - width));
  if (row == hypothesis_length)
    return {begin, columns_};
  return {begin, static_cast<size_t>(std::min(columns, diagonal + width))};
}

int64_t BeamEditDistance::align(const WordRow& hypothesis, std::vector<Edit>& edits) {
  start(hypothesis.size());
  for (size_t row = 1; row <= hypothesis.size(); ++row) fill_row(hypothesis, row);
  trace_edits(hypothesis.size(), edits);
  return base_.back();
}

void BeamEditDistance::fill_row(const WordRow& hypothesis, size_t row) {
  const auto beam = beams_[row];
  const auto above = [&](size_t column) { return base_[shifts_[row - 1] + column]; };
  const auto cost = [&](size_t column) -> int64_t& { return base_[shifts_[row] + column]; };
  const auto relax = [&](size_t column, int64_t candidate, Edit edit) {
    if (cost(column) <= candidate)
      return;
    cost(column) = candidate;
    operations_[shifts_[row] + column] = edit;
  };
  for (size_t column = beam.begin; column < beam.end; ++column) {
    if (column > 0) {
      const bool same = hypothesis[row - 1] == reference_[column - 1];
      relax(column, above(column - 1) + (same ? 0 : 1), same ? Edit::kKeep : Edit::kSubstitute);
    }
    relax(column, above(column) + 1, Edit::kDelete);
    if (column > 0)
      relax(column, cost(column - 1) + 1, Edit::kInsert);
  }
}

void BeamEditDistance::trace_edits(size_t hypothesis_length, std::vector<Edit>& edits) const {
  edits.clear();
  size_t row = hypothesis_length;
  size_t column = reference_.size();
  while (row > 0 || column > 0) {
    const Edit edit = operations_[shifts_[row] + column];
    if (edit == Edit::kUnreached)
      throw Error(kExitBug, "TER: the edit path left its beam");
    edits.push_back(edit);
    if (edit != Edit::kInsert)
      --row;
    if (edit != Edit::kDelete)
      --column;
  }
  std::reverse(edits.begin(), edits.end());
}

/// Copies a row of the base to `above_`. Both `above_` and `current_` have all columns, but only
/// those of the stored cells are valid.
void BeamEditDistance::copy_base_row(size_t row) {
  above_.resize(columns_);
  current_.resize(columns_);
  const auto stored = stored_cells(row);
  for (size_t column = stored.begin; column < stored.end; ++column)
    above_[column] = base_[shifts_[row] + column];
}

int64_t BeamEditDistance::cost_of_variant(const WordRow& hypothesis, size_t first_change) {
  copy_base_row(first_change);
  for (size_t row = first_change + 1; row <= hypothesis.size(); ++row) {
    const auto beam = beams_[row];
    const auto stored = stored_cells(row);
    std::fill(current_.begin() + static_cast<std::ptrdiff_t>(stored.begin),
              current_.begin() + static_cast<std::ptrdiff_t>(stored.end),
              kUnreachable);
    const uint32_t word = hypothesis[row - 1];
    int64_t left = kUnreachable;
    for (size_t column = beam.begin; column < beam.end; ++column) {
      int64_t cost = std::min(above_[column], left) + 1;
      if (column > 0) {
        cost = std::min(cost, above_[column - 1] + (word == reference_[column - 1] ? 0 : 1));
      }
      current_[column] = left = std::min(cost, kUnreachable);
    }
    above_.swap(current_);
  }
  return above_.back();
}

}  // namespace phraseq::score
