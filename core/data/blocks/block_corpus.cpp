#include "core/data/blocks/block_corpus.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/options/enum_name.h"
#include "core/text/dictionary.h"

namespace phraseq {

BlockCorpus::BlockCorpus(std::unique_ptr<Corpus> sentences, const BlockOptions& options)
    : sentences_(std::move(sentences)), options_(options) {
  cut();
}

void BlockCorpus::cut() {
  std::vector<int64_t> lengths(static_cast<size_t>(sentences_->size()));
  for (size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = sentences_->source_length(static_cast<int64_t>(i));
  blocks_ = cut_into_blocks(lengths, options_);
}

int64_t BlockCorpus::source_length(int64_t index) const {
  return blocks_[static_cast<size_t>(index)].tokens + (options_.add_bos_token ? 1 : 0);
}

/// A sentence begins after the </s> of the one before it; the first one after an </s>, too.
int64_t BlockCorpus::token_before(const TokenBlock& block) const {
  if (block.offset == 0)
    return kEos;
  return sentences_->get(block.first).source[static_cast<size_t>(block.offset - 1)];
}

Example BlockCorpus::get(int64_t index) const {
  const TokenBlock& block = blocks_[static_cast<size_t>(index)];
  Example example;
  example.id = index;
  std::vector<int64_t>& target = example.target;
  if (options_.add_bos_token)
    target.push_back(kBos);
  int64_t left = block.tokens;
  for (int64_t sentence = block.first; left > 0; ++sentence) {
    const std::vector<int64_t> ids = sentences_->get(sentence).source;
    const int64_t begin = sentence == block.first ? block.offset : 0;
    const int64_t taken = std::min(left, static_cast<int64_t>(ids.size()) - begin);
    target.insert(target.end(), ids.begin() + begin, ids.begin() + begin + taken);
    left -= taken;
  }
  std::vector<int64_t>& source = example.source;
  if (options_.add_bos_token)
    source.push_back(kBos);
  source.push_back(token_before(block));
  source.insert(source.end(), target.begin() + (options_.add_bos_token ? 1 : 0), target.end() - 1);
  example.extras[kPromptExtra].assign(source.begin() + 1, source.end());
  return example;
}

int64_t BlockCorpus::mean_epoch_size() const {
  const int64_t sentences = std::max<int64_t>(1, sentences_->size());
  return std::llround(static_cast<double>(size()) *
                      static_cast<double>(sentences_->mean_epoch_size()) /
                      static_cast<double>(sentences));
}

void BlockCorpus::start_epoch(int64_t epoch) {
  sentences_->start_epoch(epoch);
  cut();
}

std::string BlockCorpus::fingerprint() const {
  return fmt::format("{}, blocks {} {}{}",
                     sentences_->fingerprint(),
                     enum_name(kBreakModeNames, options_.break_mode),
                     options_.tokens_per_sample,
                     options_.add_bos_token ? " bos" : "");
}

BlockSource::~BlockSource() = default;

}  // namespace phraseq
