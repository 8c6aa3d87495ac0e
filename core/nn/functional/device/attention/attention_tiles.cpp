#include "core/nn/functional/device/attention/attention_tiles.h"

#include <algorithm>
#include <cstring>

#include <ATen/ops/empty.h>

#include "core/data/device/to_device.h"
#include "core/nn/functional/device/attention/kept_tensors.h"

namespace phraseq::nn::gpu {
namespace {

constexpr int64_t kTileRows = 16;

/// The struct AttentionTile of heads.cu.
struct Tile {
  int32_t row, rows, place, others, length;
};

std::vector<Tile> tiles_of(const std::vector<int64_t>& offsets,
                           const std::vector<int64_t>& other_offsets) {
  std::vector<Tile> tiles;
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const int64_t length = offsets[i + 1] - offsets[i];
    const auto others = static_cast<int32_t>(other_offsets[i]);
    const auto other_length = static_cast<int32_t>(other_offsets[i + 1] - other_offsets[i]);
    for (int64_t place = 0; place < length; place += kTileRows) {
      tiles.push_back({static_cast<int32_t>(offsets[i] + place),
                       static_cast<int32_t>(std::min(kTileRows, length - place)),
                       static_cast<int32_t>(place),
                       others,
                       other_length});
    }
  }
  return tiles;
}

/// The struct AttentionSentence of attention.cu.
struct Sentence {
  int32_t query, queries, key, keys;
};

std::vector<Sentence> sentences_of(const SentenceRows& rows) {
  std::vector<Sentence> sentences;
  for (size_t i = 0; i + 1 < rows.queries.size(); ++i) {
    sentences.push_back({static_cast<int32_t>(rows.queries[i]),
                         static_cast<int32_t>(rows.queries[i + 1] - rows.queries[i]),
                         static_cast<int32_t>(rows.keys[i]),
                         static_cast<int32_t>(rows.keys[i + 1] - rows.keys[i])});
  }
  return sentences;
}

template <class Entry>
at::Tensor copied(const std::vector<Entry>& entries, at::Device device) {
  const at::Tensor numbers =  // [entries, numbers of an entry]
      at::empty({static_cast<int64_t>(entries.size()), sizeof(Entry) / sizeof(int32_t)}, at::kInt);
  if (!entries.empty())
    std::memcpy(numbers.mutable_data_ptr(), entries.data(), entries.size() * sizeof(Entry));
  return to_device(numbers, device);
}

}  // namespace

at::Tensor attention_tiles(const std::vector<int64_t>& offsets,
                           const std::vector<int64_t>& other_offsets,
                           at::Device device) {
  // Eight: for source, target and both directions of cross-attention, of the current and the
  // previous batch.
  thread_local KeptTensors<8> kept;
  return kept.get(offsets, other_offsets, device, [&] {
    return copied(tiles_of(offsets, other_offsets), device);
  });
}

at::Tensor attention_sentences(const SentenceRows& rows, at::Device device) {
  thread_local KeptTensors<8> kept;
  return kept.get(
      rows.queries, rows.keys, device, [&] { return copied(sentences_of(rows), device); });
}

}  // namespace phraseq::nn::gpu
