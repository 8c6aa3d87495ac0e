#include "core/corpus/preprocessing/subword_learning.h"

#include <functional>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/options/enum_name.h"
#include "core/text/sentencepiece/sentencepiece_training.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

/// Chooses at most `limit` of `total` things, evenly spread; 0 = all.
class EvenSample {
 public:
  EvenSample(int64_t total, int64_t limit) : total_(total), limit_(limit) {}

  bool is_all() const { return limit_ == 0 || total_ <= limit_; }
  /// Whether the next one is chosen.
  bool next() {
    if (is_all())
      return true;
    left_over_ += limit_;
    if (left_over_ < total_)
      return false;
    left_over_ -= total_;
    return true;
  }

 private:
  int64_t total_;
  int64_t limit_;
  int64_t left_over_ = 0;
};

/// The lines of several texts, one after the other.
std::function<bool(std::string&)> lines_of_all(const std::vector<CheckedText>& texts) {
  return [&texts, current = size_t{0}, kept = KeptLines(texts[0])](std::string& line) mutable {
    while (!kept.next(line)) {
      if (++current == texts.size())
        return false;
      kept = KeptLines(texts[current]);
    }
    return true;
  };
}

}  // namespace

std::string learn_subwords(const RunFiles& files,
                           const RunSides& of,
                           const PreprocessOptions& options,
                           bool lowercase) {
  std::vector<CheckedText> texts;
  for (const RunSide* side : of) texts.push_back(files.text(kTrain, *side));
  const int64_t total = files.report(kTrain).kept() * static_cast<int64_t>(texts.size());
  EvenSample sample(total, options.subword_sentences);
  const auto next = [&, next_line = lines_of_all(texts)](std::string& line) {
    do {
      if (!next_line(line))
        return false;
    } while (!sample.next());
    if (lowercase)
      line = to_lowercase(line);
    return true;
  };
  log_info(fmt::format(
      "[{}] learning {} {} pieces{}",
      languages_text(of),
      options.subwords,
      enum_name(kSentencePieceTypeNames, options.subword_type),
      sample.is_all() ? ""
                      : fmt::format(" from {} of {} sentences", options.subword_sentences, total)));
  return train_sentencepiece(next,
                             {options.subword_type, options.subwords, options.character_coverage});
}

}  // namespace phraseq
