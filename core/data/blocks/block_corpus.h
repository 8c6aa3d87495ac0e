#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/blocks/token_blocks.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// The sentences of a corpus as blocks of running text. Example::target is the block, and
/// Example::source what the model reads before each of its tokens: the token before it, </s> at the
/// beginning of the text; with `add_bos_token` both begin with <s>. The extra kPromptExtra is the
/// source without its first token.
class PHRASEQ_API BlockCorpus final : public Corpus {
 public:
  BlockCorpus(std::unique_ptr<Corpus> sentences, const BlockOptions& options);

  int64_t size() const override { return static_cast<int64_t>(blocks_.size()); }
  int64_t mean_epoch_size() const override;
  int64_t source_length(int64_t index) const override;
  int64_t target_length(int64_t index) const override { return source_length(index); }
  Example get(int64_t index) const override;
  EmptyLengths empty_lengths() const override { return {0, 0}; }
  /// Random segmentation changes the lengths of sentences, so blocks are cut again.
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override;

 private:
  void cut();
  int64_t token_before(const TokenBlock& block) const;

  std::unique_ptr<Corpus> sentences_;
  BlockOptions options_;
  std::vector<TokenBlock> blocks_;
};

/// Interface of a task whose corpora are blocks of running text (language modeling), for commands
/// that cut the text differently from training.
class PHRASEQ_API BlockSource {
 public:
  virtual ~BlockSource();
  virtual const BlockOptions& block_options() const = 0;
  virtual std::unique_ptr<Corpus> open_blocks(const std::string& split,
                                              bool training,
                                              const BlockOptions& options) const = 0;
};

}  // namespace phraseq
