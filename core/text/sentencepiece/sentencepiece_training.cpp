#include "core/text/sentencepiece/sentencepiece_training.h"

#include <exception>
#include <sentencepiece_trainer.h>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/exception_of.h"
#include "core/base/utf8_characters.h"
#include "core/options/enum_name.h"

namespace phraseq {
namespace {

/// In bytes; the trainer skips longer sentences (its max_sentence_length).
constexpr size_t kLongestSentence = 4192;

/// The number of bytes of a text that the trainer receives as one sentence. A cut at a blank
/// changes nothing, because the trainer learns from words; only a longer word is cut, between
/// characters.
size_t sentence_size(std::string_view text) {
  if (text.size() <= kLongestSentence)
    return text.size();
  const size_t blank = text.rfind(' ', kLongestSentence);
  if (blank != std::string_view::npos && blank > 0)
    return blank;
  size_t size = kLongestSentence;
  while (size + 3 > kLongestSentence && continues_character(text[size])) --size;
  return size;
}

/// SentencePiece's message without the place in its source code and the failed condition:
/// "Internal: ./src/trainer_interface.cc(580) [(condition)] Vocabulary size is …".
std::string reason_of(std::string_view message) {
  const size_t end = message.find("] ");
  return std::string(end == std::string_view::npos ? message : message.substr(end + 2));
}

/// Passes phraseq's lines to the trainer, long ones in parts, and carries an exception past its
/// stack frames.
class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::function<bool(std::string&)>& next) : next_(next) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return sentence_; }
  sentencepiece::util::Status status() const override { return {}; }
  void Next() override {
    if (end_ == line_.size())
      read_line();
    if (done_)
      return;
    const size_t size = sentence_size(std::string_view(line_).substr(end_));
    sentence_.assign(line_, end_, size);
    end_ += size;
  }
  void rethrow() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

 private:
  void read_line() {
    end_ = 0;
    done_ = true;
    failure_ = exception_of([this] { done_ = !next_(line_); });
  }

  const std::function<bool(std::string&)>& next_;
  std::string line_;
  size_t end_ = 0;  ///< end of the current sentence in the line
  std::string sentence_;
  bool done_ = false;
  std::exception_ptr failure_;
};

}  // namespace

std::string train_sentencepiece(const std::function<bool(std::string&)>& next,
                                const SentencePieceTraining& training) {
  const std::string type(enum_name(kSentencePieceTypeNames, training.type));
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", type},
      {"vocab_size", fmt::format("{}", training.pieces)},
      {"character_coverage", fmt::format("{}", training.character_coverage)},
      {"num_threads", "16"},  // fixed, because the sums of a unigram model depend on it
      {"minloglevel", "2"},
  };
  Lines lines(next);
  lines.rethrow();
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model);
  lines.rethrow();
  if (!status.ok()) {
    const std::string reason = reason_of(status.message());
    throw UsageError(
        fmt::format(
            "SentencePiece could not train {} {} pieces: {}", training.pieces, type, reason),
        reason.find("smaller than required") != std::string::npos
            ? "Every character needs a piece: increase --subwords, or lower --character-coverage."
            : "A small text supports only a small vocabulary: reduce --subwords.");
  }
  return model;
}

}  // namespace phraseq
