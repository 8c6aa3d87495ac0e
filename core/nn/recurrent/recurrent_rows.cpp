#include "core/nn/recurrent/recurrent_rows.h"

#include <numeric>

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include "core/data/device/to_device.h"

namespace phraseq::nn {

RecurrentRows::RecurrentRows(const RecurrentDecoder& decoder,
                             const RecurrentMemory& memory,
                             Context& context)
    : decoder_(decoder),
      of_sentences_(memory),
      of_rows_(memory),
      state_(decoder.start(memory, context)),
      sentences_(static_cast<size_t>(memory.mask.size(0))) {
  std::iota(sentences_.begin(), sentences_.end(), 0);
}

RecurrentStep RecurrentRows::step(const at::Tensor& last_tokens,
                                  const at::Tensor& active,
                                  Context& context) {
  const at::Tensor ids = to_device(last_tokens, state_.hidden.device());
  const at::Tensor nothing_generated =
      at::full(ids.sizes(), first_, ids.options().dtype(at::kBool));
  first_ = false;
  return decoder_.step(
      decoder_.feed(ids, nothing_generated, context), of_rows_, active, state_, context);
}

void RecurrentRows::select(const std::vector<int64_t>& rows) {
  std::vector<int64_t> sentences;
  sentences.reserve(rows.size());
  for (const int64_t row : rows) sentences.push_back(sentence_of(row));
  const auto on_device = [&](const std::vector<int64_t>& numbers) {
    return to_device(numbers, state_.hidden.device());
  };
  if (sentences != sentences_)
    of_rows_ = of_sentences_.select(on_device(sentences));
  state_ = state_.select(on_device(rows));
  sentences_ = std::move(sentences);
}

}  // namespace phraseq::nn
