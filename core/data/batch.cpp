#include "core/data/batch.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "core/data/device/to_device.h"

namespace phraseq {
namespace {

/// Index of each row in a [batch · time] column of padded rows, [tokens] int64 on the rows' device.
at::Tensor padded_places(const PackedTokens& tokens) {
  const int64_t time = tokens.max_length();
  at::Tensor places = at::empty({tokens.tokens()}, at::kLong);
  int64_t* place = places.data_ptr<int64_t>();
  for (int64_t sentence = 0; sentence < tokens.sentences(); ++sentence) {
    const int64_t length = tokens.length(sentence);
    for (int64_t step = 0; step < length; ++step) *place++ = sentence * time + step;
  }
  return to_device(places, tokens.ids.device());
}

at::Tensor moved(const at::Tensor& tensor, at::Device device) {
  return tensor.defined() ? to_device(tensor, device) : tensor;
}

}  // namespace

int64_t PackedTokens::length(int64_t sentence) const {
  const auto index = static_cast<size_t>(sentence);
  return offsets[index + 1] - offsets[index];
}

int64_t PackedTokens::max_length() const {
  int64_t longest = 0;
  for (int64_t sentence = 0; sentence < sentences(); ++sentence) {
    longest = std::max(longest, length(sentence));
  }
  return longest;
}

PackedTokens PackedTokens::pack(const std::vector<std::vector<int64_t>>& sequences) {
  PackedTokens packed;
  packed.offsets.reserve(sequences.size() + 1);
  packed.offsets.push_back(0);
  for (const auto& sequence : sequences) {
    packed.offsets.push_back(packed.offsets.back() + static_cast<int64_t>(sequence.size()));
  }
  packed.ids = at::empty({packed.tokens()}, at::kLong);
  packed.positions = at::empty({packed.tokens()}, at::kLong);
  int64_t* id = packed.ids.data_ptr<int64_t>();
  int64_t* position = packed.positions.data_ptr<int64_t>();
  for (const auto& sequence : sequences) {
    id = std::copy(sequence.begin(), sequence.end(), id);
    for (size_t step = 0; step < sequence.size(); ++step) *position++ = static_cast<int64_t>(step);
  }
  return packed;
}

at::Tensor PackedTokens::padded(int64_t pad) const {
  at::Tensor column = at::full({sentences() * max_length()}, pad, ids.options());  // [batch · time]
  column.index_copy_(0, padded_places(*this), ids);
  return column.view({sentences(), max_length()});  // [batch, time]
}

at::Tensor PackedTokens::pad_rows(const at::Tensor& rows) const {
  std::vector<int64_t> shape = rows.sizes().vec();  // [tokens, …]
  shape[0] = sentences() * max_length();
  const at::Tensor column = at::zeros(shape, rows.options())
                                .index_copy(0, padded_places(*this), rows);  // [batch · time, …]
  return column.unflatten(0, {sentences(), max_length()});                   // [batch, time, …]
}

at::Tensor PackedTokens::unpad_rows(const at::Tensor& padded_rows) const {
  return padded_rows.flatten(0, 1).index_select(0, padded_places(*this));  // [tokens, …]
}

at::Tensor PackedTokens::mask() const {
  at::Tensor column = at::zeros({sentences() * max_length()}, ids.options().dtype(at::kBool));
  column.index_fill_(0, padded_places(*this), true);
  return column.view({sentences(), max_length()});  // [batch, time], true = a real token
}

PackedTokens PackedTokens::to(at::Device device) const {
  return {moved(ids, device), moved(positions, device), offsets};
}

Batch Batch::to(at::Device device) const {
  Batch batch{sentence_ids,
              source.to(device),
              target_in.to(device),
              moved(target_out, device),
              {},
              host_extras};
  for (const auto& [name, tensor] : extras) batch.extras[name] = moved(tensor, device);
  return batch;
}

Batch Batch::pinned() const {
  const auto pin = [](const at::Tensor& x) { return x.defined() ? x.pin_memory() : x; };
  Batch batch = *this;
  for (at::Tensor* const ids : {&batch.source.ids,
                                &batch.source.positions,
                                &batch.target_in.ids,
                                &batch.target_in.positions,
                                &batch.target_out})
    *ids = pin(*ids);
  for (auto& [name, tensor] : batch.extras) tensor = pin(tensor);
  return batch;
}

}  // namespace phraseq
