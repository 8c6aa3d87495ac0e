#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "core/nn/decoding_session.h"
#include "core/search/search_input.h"
#include "core/text/dictionary.h"

namespace phraseq::testing_search {

/// The first words, after the special symbols.
inline constexpr int64_t kA = 4, kB = 5, kC = 6;

/// The probabilities of all columns after `tokens` in sentence `sentence`; they need not sum to 1.
using Language =
    std::function<std::vector<double>(int64_t sentence, const std::vector<int64_t>& tokens)>;

/// A session for a given language, which records its calls.
class ToySession : public DecodingSession {
 public:
  ToySession(int64_t sentences, Language language) : language_(std::move(language)) {
    for (int64_t i = 0; i < sentences; ++i) past_.push_back({i, {}});
  }

  int64_t rows() const override { return static_cast<int64_t>(past_.size()); }

  StepOutput step(const at::Tensor& last_tokens) override {
    rows_of_step.push_back(rows());
    std::vector<std::vector<double>> scores;
    for (int64_t row = 0; row < rows(); ++row) {
      auto& [sentence, tokens] = past_[static_cast<size_t>(row)];
      const int64_t token = last_tokens[row].item<int64_t>();
      if (started_)
        tokens.push_back(token);
      fed.push_back(token);
      scores.push_back(language_(sentence, tokens));
    }
    started_ = true;
    at::Tensor result =
        at::empty({rows(), static_cast<int64_t>(scores.front().size())}, at::kDouble);
    for (size_t row = 0; row < scores.size(); ++row) {
      for (size_t column = 0; column < scores[row].size(); ++column) {
        result[static_cast<int64_t>(row)][static_cast<int64_t>(column)] =
            std::log(scores[row][column]);
      }
    }
    StepOutput output{result, false, {}};
    if (with_attention)
      output.attention = attention();
    return output;
  }

  void select(const std::vector<int64_t>& rows) override {
    std::vector<std::pair<int64_t, std::vector<int64_t>>> kept;
    for (const int64_t row : rows) kept.push_back(past_[static_cast<size_t>(row)]);
    past_ = std::move(kept);
  }

  int64_t slots() const override { return static_cast<int64_t>(phrases.size()); }
  std::vector<int64_t> expand_slot(int64_t /*row*/, int64_t slot) const override {
    return phrases[static_cast<size_t>(slot)];
  }
  void chosen(const std::vector<int64_t>& choices) override { choices_of_step.push_back(choices); }

  std::vector<std::vector<int64_t>> phrases;
  bool with_attention = false;
  std::vector<int64_t> rows_of_step;
  std::vector<int64_t> fed;
  std::vector<std::vector<int64_t>> choices_of_step;

 private:
  /// [rows, 4]: the last token of the row, the number of the row, 0, 0.
  at::Tensor attention() const {
    at::Tensor weights = at::full({rows(), 4}, 0.0f);
    for (int64_t row = 0; row < rows(); ++row) {
      const auto& tokens = past_[static_cast<size_t>(row)].second;
      weights[row][0] = tokens.empty() ? -1.0f : static_cast<float>(tokens.back());
      weights[row][1] = static_cast<float>(row);
    }
    return weights;
  }

  Language language_;
  bool started_ = false;
  std::vector<std::pair<int64_t, std::vector<int64_t>>> past_;
};

/// Sentences 0, 1 … of source length 4 with room for `max_length` tokens.
inline std::vector<SentenceInput> sentences(int64_t count, int64_t max_length) {
  std::vector<SentenceInput> all;
  for (int64_t i = 0; i < count; ++i) all.push_back({i, 4, max_length, {}});
  return all;
}

}  // namespace phraseq::testing_search
