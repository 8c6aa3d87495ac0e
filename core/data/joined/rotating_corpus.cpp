#include "core/data/joined/rotating_corpus.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace phraseq {

RotatingCorpus::RotatingCorpus(std::vector<Folder> folders)
    : folders_(std::move(folders)), fingerprints_(folders_.size()) {
  int64_t sentences = 0;
  for (size_t number = folders_.size(); number-- > 0;) {  // the first stays open
    open(number);
    if (size() == 0) {
      throw DataError(fmt::format("{}: there is no text to train on", folders_[number].name),
                      "Leave the folder out of DATA.");
    }
    fingerprints_[number] = corpus_->fingerprint();
    sentences += size();
  }
  mean_size_ = sentences / static_cast<int64_t>(folders_.size());
}

/// Closes the open one first: there is memory for one.
void RotatingCorpus::open(size_t number) {
  corpus_.reset();
  corpus_ = folders_[number].open();
  current_ = number;
}

void RotatingCorpus::start_epoch(int64_t epoch) {
  const size_t number = static_cast<size_t>(epoch - 1) % folders_.size();
  if (number != current_ || corpus_ == nullptr) {
    open(number);
    if (corpus_->fingerprint() != fingerprints_[number]) {
      throw DataError(
          fmt::format("{}: the data was replaced during training", folders_[number].name),
          "Restore the earlier data, and resume.");
    }
  }
  if (epoch != logged_epoch_)  // the first epoch of a run begins twice
    log_info(fmt::format("epoch {}: {} sentences of {}", epoch, size(), folders_[number].name));
  logged_epoch_ = epoch;
  corpus_->start_epoch(epoch);
}

std::string RotatingCorpus::fingerprint() const {
  std::string text = fmt::format("{} folders, one per epoch", folders_.size());
  for (const std::string& folder : fingerprints_) text += ": " + folder;
  return text;
}

}  // namespace phraseq
