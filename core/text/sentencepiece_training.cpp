#include "core/text/sentencepiece_training.h"

#include <exception>
#include <sentencepiece_trainer.h>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/options/enum_name.h"

namespace phraseq {
namespace {

/// Hands our lines to the trainer, and carries an exception over its frames.
class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::function<bool(std::string&)>& next) : next_(next) { Next(); }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  void Next() override {
    try {
      done_ = !next_(line_);
    } catch (...) {
      failure_ = std::current_exception();
      done_ = true;
    }
  }
  void rethrow() const {
    if (failure_)
      std::rethrow_exception(failure_);
  }

 private:
  const std::function<bool(std::string&)>& next_;
  std::string line_;
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
      {"num_threads", "16"},  // fixed: the sums of a unigram model depend on it
      {"minloglevel", "2"},
  };
  Lines lines(next);
  lines.rethrow();
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model);
  lines.rethrow();
  if (!status.ok()) {
    throw UsageError(fmt::format("SentencePiece could not train {} {} pieces: {}",
                                 training.pieces,
                                 type,
                                 status.ToString()),
                     "A small text supports only a small vocabulary: reduce --subwords.");
  }
  return model;
}

}  // namespace phraseq
