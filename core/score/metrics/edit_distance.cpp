#include "core/score/metrics/edit_distance.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace phraseq::score {
namespace {

constexpr int64_t kUnreachable = int64_t{1} << 50;
constexpr double kBeamWidth = 25;

}  // namespace

/// Rows of the matrix belong to hypothesis prefixes, columns to reference prefixes; row 0 inserts.
void BeamEditDistance::start(size_t hypothesis_length) {
  columns_ = reference_.size() + 1;
  base_.assign((hypothesis_length + 1) * columns_, kUnreachable);
  operations_.assign(base_.size(), Edit::kUnreached);
  for (size_t column = 0; column < columns_; ++column) {
    base_[column] = static_cast<int64_t>(column);
    operations_[column] = Edit::kInsert;
  }
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
  const auto beam = beam_of_row(row, hypothesis.size());
  const int64_t* above = &base_[(row - 1) * columns_];
  int64_t* cost = &base_[row * columns_];
  Edit* operation = &operations_[row * columns_];
  const auto relax = [&](size_t column, int64_t candidate, Edit edit) {
    if (cost[column] <= candidate)
      return;
    cost[column] = candidate;
    operation[column] = edit;
  };
  for (size_t column = beam.begin; column < beam.end; ++column) {
    if (column > 0) {
      const bool same = hypothesis[row - 1] == reference_[column - 1];
      relax(column, above[column - 1] + (same ? 0 : 1), same ? Edit::kKeep : Edit::kSubstitute);
    }
    relax(column, above[column] + 1, Edit::kDelete);
    if (column > 0)
      relax(column, cost[column - 1] + 1, Edit::kInsert);
  }
}

void BeamEditDistance::trace_edits(size_t hypothesis_length, std::vector<Edit>& edits) const {
  edits.clear();
  size_t row = hypothesis_length;
  size_t column = reference_.size();
  while (row > 0 || column > 0) {
    const Edit edit = operations_[row * columns_ + column];
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

int64_t BeamEditDistance::cost_of_variant(const WordRow& hypothesis, size_t first_change) {
  const int64_t* base = &base_[first_change * columns_];
  above_.assign(base, base + columns_);
  for (size_t row = first_change + 1; row <= hypothesis.size(); ++row) {
    const auto beam = beam_of_row(row, hypothesis.size());
    current_.assign(columns_, kUnreachable);
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
