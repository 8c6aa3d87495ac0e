#include "core/nn/packed/candidate_scores.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include "core/base/work_profile.h"
#include "core/nn/functional/log_softmax_top_k.h"
#include "core/nn/packed/packed_weights.h"

namespace phraseq::nn {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

}  // namespace

/// The part of the output matrix that a sentence's rows are multiplied by.
struct CandidateMatrix {
  std::vector<int64_t> words;      ///< sorted
  PackedMatrix weight;             ///< [words, model]
  at::Tensor bias;                 ///< [words] or undefined
  std::vector<int64_t> forbidden;  ///< indices among the words

  /// The index of a word among `words`; -1 = it is not among them.
  int64_t place_of(int64_t word) const {
    const auto found = std::lower_bound(words.begin(), words.end(), word);
    return found == words.end() || *found != word ? -1 : found - words.begin();
  }
};

namespace {

std::shared_ptr<const CandidateMatrix> matrix_of(std::vector<int64_t> words,
                                                 const DecoderOutput& output,
                                                 Quantization kind) {
  const at::Tensor ids = at::tensor(words, at::kLong);  // [words]
  const at::Tensor bias = output.output_bias.defined() ? output.output_bias.index_select(0, ids)
                                                       : at::Tensor();  // [words]
  CandidateMatrix matrix{
      std::move(words), PackedMatrix(output.output_weight.index_select(0, ids), kind), bias, {}};
  for (const int64_t word : output.forbidden) {
    if (const int64_t place = matrix.place_of(word); place >= 0)
      matrix.forbidden.push_back(place);
  }
  return std::make_shared<const CandidateMatrix>(std::move(matrix));
}

/// One row's answer from its scores [words].
ScoreAnswer answer_of(std::span<const float> scores,
                      const CandidateMatrix& matrix,
                      const ScoreQuery& query) {
  ScoreAnswer answer;
  answer.normalizer = log_sum_exp(scores);
  for (const int64_t word : query.columns) {
    const int64_t place = matrix.place_of(word);
    answer.scores.push_back(place < 0 ? kImpossible
                                      : static_cast<double>(scores[static_cast<size_t>(place)]));
  }
  if (query.best == 0)
    return answer;
  // Columns that the query requests by number may be among the best.
  const auto wanted = query.best + static_cast<int64_t>(query.columns.size());
  log_softmax_top_k(scores, wanted, {}, /*normalized=*/true, answer.best);
  for (RankedColumn& found : answer.best)
    found.column = matrix.words[static_cast<size_t>(found.column)];
  query.keep_best_unnamed(answer.best);
  return answer;
}

/// Consecutive rows that belong to one sentence.
struct CandidateRows {
  int64_t first, count;
  std::shared_ptr<const CandidateMatrix> matrix;
};

class RestrictedScores final : public DeferredScores {
 public:
  RestrictedScores(at::Tensor hidden, int64_t columns, std::vector<CandidateRows> parts)
      : hidden_(std::move(hidden)), columns_(columns), parts_(std::move(parts)) {}

  int64_t rows() const override { return hidden_.size(0); }
  int64_t columns() const override { return columns_; }

  std::vector<ScoreAnswer> answer(std::span<const ScoreQuery> queries) const override {
    std::vector<ScoreAnswer> answers;
    answers.reserve(queries.size());
    for (const CandidateRows& part : parts_) append_answers(part, queries, answers);
    return answers;
  }

 private:
  void append_answers(const CandidateRows& part,
                      std::span<const ScoreQuery> queries,
                      std::vector<ScoreAnswer>& answers) const {
    const CandidateMatrix& matrix = *part.matrix;
    const auto words = matrix.words.size();
    const WorkSpan span(Work::kScores);
    const float* bias = matrix.bias.defined() ? matrix.bias.const_data_ptr<float>() : nullptr;
    const at::Tensor scores = matrix.weight.multiply(
        hidden_.narrow(0, part.first, part.count), bias, /*relu=*/false);  // [rows, words]
    auto* row = scores.mutable_data_ptr<float>();
    for (int64_t i = part.first; i < part.first + part.count; ++i, row += words) {
      for (const int64_t place : matrix.forbidden) row[place] = DecoderOutput::kForbiddenScore;
      answers.push_back(answer_of({row, words}, matrix, queries[static_cast<size_t>(i)]));
    }
  }

  at::Tensor hidden_;  // [rows, model]
  int64_t columns_;
  std::vector<CandidateRows> parts_;
};

}  // namespace

CandidateScores::CandidateScores(std::vector<std::vector<int64_t>> candidates)
    : candidates_(std::move(candidates)), matrices_(candidates_.size()) {}

CandidateScores::~CandidateScores() = default;

std::shared_ptr<const DeferredScores> CandidateScores::of(const DecoderOutput& output,
                                                          const std::vector<int64_t>& sentences) {
  const bool fits = !at::GradMode::is_enabled() && output.hidden.is_cpu() &&
                    output.hidden.scalar_type() == at::kFloat;
  const PackedWeights* packed = fits ? packed_weights_of(output.output_weight) : nullptr;
  if (packed == nullptr)
    return nullptr;
  std::vector<CandidateRows> parts;
  for (size_t row = 0; row < sentences.size(); ++row) {
    const auto sentence = static_cast<size_t>(sentences[row]);
    if (row > 0 && sentences[row] == sentences[row - 1]) {
      ++parts.back().count;
      continue;
    }
    if (!matrices_[sentence])
      matrices_[sentence] = matrix_of(std::move(candidates_[sentence]), output, packed->kind());
    parts.push_back({static_cast<int64_t>(row), 1, matrices_[sentence]});
  }
  return std::make_shared<RestrictedScores>(
      output.hidden.contiguous(), output.output_weight.size(0), std::move(parts));
}

}  // namespace phraseq::nn
