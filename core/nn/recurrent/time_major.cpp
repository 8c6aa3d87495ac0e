#include "core/nn/recurrent/time_major.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/tensor.h>

#include "core/data/device/to_device.h"

namespace phraseq::nn {
namespace {

std::vector<int64_t> longest_first(const std::vector<int64_t>& offsets) {
  std::vector<int64_t> sentences(offsets.size() - 1);
  std::iota(sentences.begin(), sentences.end(), 0);
  std::stable_sort(sentences.begin(), sentences.end(), [&](int64_t a, int64_t b) {
    return offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b];
  });
  return sentences;
}

}  // namespace

TimeMajor::TimeMajor(const std::vector<int64_t>& offsets, at::Device device, bool backwards) {
  const std::vector<int64_t> by_length = longest_first(offsets);
  const auto rows = static_cast<size_t>(offsets.back());
  std::vector<int64_t> walked, places(rows);
  walked.reserve(rows);
  for (int64_t step = 0; walked.size() < rows; ++step) {
    const size_t before = walked.size();
    for (const int64_t sentence : by_length) {
      const int64_t begin = offsets[sentence], end = offsets[sentence + 1];
      if (begin + step >= end)
        break;
      const int64_t row = backwards ? end - 1 - step : begin + step;
      places[row] = static_cast<int64_t>(walked.size());
      walked.push_back(row);
    }
    counts.push_back(static_cast<int64_t>(walked.size() - before));
  }
  sentences = to_device(by_length, device);
  order = to_device(walked, device);
  place = to_device(places, device);
}

at::Tensor TimeMajor::walk(const at::Tensor& packed) const {
  return packed.index_select(0, order);  // [rows, …]
}

at::Tensor TimeMajor::pack(const at::Tensor& walked) const {
  return walked.index_select(0, place);  // [rows, …]
}

std::vector<at::Tensor> TimeMajor::steps(const at::Tensor& walked) const {
  if (!walked.defined())
    return std::vector<at::Tensor>(counts.size());
  return at::split_with_sizes(walked, counts);  // [counts[i], …]
}

}  // namespace phraseq::nn
