#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// Corpora of which each epoch uses one, in turn: fairseq's `DATA1:DATA2:…`. Epoch e uses number
/// (e - 1) modulo their number; only that one is open. Before the first epoch, it is the first one.
class PHRASEQ_API RotatingCorpus final : public Corpus {
 public:
  struct Folder {
    std::string name;  ///< for messages
    std::function<std::unique_ptr<Corpus>()> open;
  };

  /// Opens each of them once, which checks it. Throws DataError when one has no sentences, and what
  /// `open` throws.
  explicit RotatingCorpus(std::vector<Folder> folders);

  int64_t size() const override { return corpus_->size(); }
  int64_t mean_epoch_size() const override { return mean_size_; }
  int64_t source_length(int64_t index) const override { return corpus_->source_length(index); }
  int64_t target_length(int64_t index) const override { return corpus_->target_length(index); }
  Example get(int64_t index) const override { return corpus_->get(index); }
  EmptyLengths empty_lengths() const override { return corpus_->empty_lengths(); }
  /// Throws DataError when the data of a folder is not what it was at the start.
  void start_epoch(int64_t epoch) override;
  /// Combined fingerprint of all folders.
  std::string fingerprint() const override;

 private:
  void open(size_t number);

  std::vector<Folder> folders_;
  std::vector<std::string> fingerprints_;
  std::unique_ptr<Corpus> corpus_;
  size_t current_ = 0;
  int64_t mean_size_ = 0;
  int64_t logged_epoch_ = 0;
};

}  // namespace phraseq
