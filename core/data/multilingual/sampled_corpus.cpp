#include "core/data/multilingual/sampled_corpus.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/random.h"

namespace phraseq {
namespace {

constexpr double kMaxScaleUp = 1.5;  // fairseq's max_scale_up

/// Divides `total` by the weights into whole numbers: the integer parts, and the rest drawn.
std::vector<int64_t> shares_of(int64_t total, const std::vector<double>& weights, Random& random) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> shares;
  int64_t left = total;
  for (const double weight : weights) {
    shares.push_back(
        std::min(left, static_cast<int64_t>(static_cast<double>(total) * weight / sum)));
    left -= shares.back();
  }
  for (; left > 0; --left) {
    double at = random.uniform() * sum;
    size_t part = 0;
    while (part + 1 < weights.size() && at >= weights[part]) at -= weights[part++];
    ++shares[part];
  }
  return shares;
}

/// `count` of 0 … size-1 without repetition, ascending (Knuth, vol. 2, 3.4.2, algorithm S).
void add_some(std::vector<int64_t>& places, int64_t size, int64_t count, Random& random) {
  for (int64_t place = 0; place < size && count > 0; ++place) {
    if (static_cast<int64_t>(random.below(static_cast<uint64_t>(size - place))) >= count)
      continue;
    places.push_back(place);
    --count;
  }
}

std::vector<int64_t> draw_places(int64_t size, int64_t count, Random& random) {
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(count));
  for (int64_t whole = count / size; whole > 0; --whole) {
    for (int64_t place = 0; place < size; ++place) places.push_back(place);
  }
  add_some(places, size, count % size, random);
  return places;
}

}  // namespace

std::vector<double> uniform_weights(std::span<const int64_t> sizes) {
  return std::vector<double>(sizes.size(), 1.0);
}

std::vector<double> temperature_weights(std::span<const int64_t> sizes, double temperature) {
  const auto total = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}));
  std::vector<double> weights;
  for (const int64_t size : sizes)
    weights.push_back(std::pow(static_cast<double>(size) / total, 1.0 / temperature));
  return weights;
}

int64_t default_virtual_size(std::span<const int64_t> sizes, std::span<const double> weights) {
  const auto largest =
      static_cast<size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  double size = 0;
  for (const double weight : weights)
    size += weight / weights[largest] * static_cast<double>(sizes[largest]);
  const auto total = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}));
  return static_cast<int64_t>(std::min(size, total * kMaxScaleUp));
}

SampledCorpus::SampledCorpus(std::vector<SampledPart> parts, PairSampling settings)
    : parts_(std::move(parts)), settings_(std::move(settings)) {
  for (const SampledPart& part : parts_) {
    if (part.corpus->size() == 0) {
      throw DataError(fmt::format("{}: there is no text to train on", part.name),
                      "Leave the pair out of --lang-pairs.");
    }
  }
  start_epoch(1);
  fingerprint_ = describe();
}

std::vector<int64_t> SampledCorpus::sizes() const {
  std::vector<int64_t> sizes;
  for (const SampledPart& part : parts_) sizes.push_back(part.corpus->size());
  return sizes;
}

std::vector<int64_t> SampledCorpus::counts() const {
  std::vector<int64_t> counts = ends_;
  std::adjacent_difference(counts.begin(), counts.end(), counts.begin());
  return counts;
}

void SampledCorpus::draw(int64_t pass) {
  for (const SampledPart& part : parts_) part.corpus->start_epoch(pass);
  const std::vector<int64_t> sizes = this->sizes();
  std::vector<int64_t> shares = sizes;
  drawn_.assign(parts_.size(), {});
  Random random(mix_seeds(settings_.seed, static_cast<uint64_t>(pass)));
  if (settings_.weights) {
    const std::vector<double> weights = settings_.weights(sizes);
    if (*std::min_element(weights.begin(), weights.end()) <= 0)
      throw UsageError("--sampling-weights: all weights must be positive");
    const int64_t total =
        settings_.virtual_size > 0 ? settings_.virtual_size : default_virtual_size(sizes, weights);
    shares = shares_of(total, weights, random);
    for (size_t i = 0; i < parts_.size(); ++i) drawn_[i] = draw_places(sizes[i], shares[i], random);
  }
  ends_.resize(parts_.size());
  std::partial_sum(shares.begin(), shares.end(), ends_.begin());
  order_.clear();
  if (epoch_size() < pass_size())
    order_ = random_permutation(pass_size(), random);
  pass_ = pass;
  for (size_t i = 0; i < parts_.size() && (pass == 1 || settings_.weights); ++i)
    log_info(
        fmt::format("pass {}: {} of {} pairs of {}", pass, shares[i], sizes[i], parts_[i].name));
}

int64_t SampledCorpus::epoch_size() const {
  return settings_.virtual_epoch_size > 0 ? std::min(settings_.virtual_epoch_size, pass_size())
                                          : pass_size();
}

void SampledCorpus::start_epoch(int64_t epoch) {
  if (pass_ == 0)
    draw(1);
  const int64_t epochs = (pass_size() + epoch_size() - 1) / epoch_size();
  const int64_t pass = (epoch - 1) / epochs + 1;
  if (pass != pass_)
    draw(pass);
  begin_ = (epoch - 1) % epochs * epoch_size();
}

int64_t SampledCorpus::size() const { return std::min(epoch_size(), pass_size() - begin_); }

IndirectCorpus::Place SampledCorpus::find(int64_t index) const {
  const int64_t global = order_.empty() ? index : order_[static_cast<size_t>(begin_ + index)];
  const auto part =
      static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), global) - ends_.begin());
  const int64_t within = global - (part == 0 ? 0 : ends_[part - 1]);
  const auto& drawn = drawn_.at(part);
  return {*parts_[part].corpus, drawn.empty() ? within : drawn[static_cast<size_t>(within)]};
}

std::string SampledCorpus::describe() const {
  std::string text = fmt::format("{} parts", parts_.size());
  if (settings_.weights) {
    text += ", weights";
    for (const double weight : settings_.weights(sizes())) text += fmt::format(" {:.6g}", weight);
  }
  text +=
      fmt::format(", virtual sizes {} {}", settings_.virtual_size, settings_.virtual_epoch_size);
  for (const SampledPart& part : parts_)
    text += fmt::format(" + {}: {}", part.name, part.corpus->fingerprint());
  return text;
}

}  // namespace phraseq
