#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/data/task.h"

namespace phraseq {

/// Texts of a task in the form that metrics receive: an unknown word is one character that the
/// other side never contains, so unknown words match nothing and are one token for every tokenizer
/// of the scorer.
class PHRASEQ_API ScoredText {
 public:
  /// Asks the task how it spells an unknown word.
  explicit ScoredText(const Task& task);

  std::string hypothesis(const std::string& text) const;
  std::string reference(const std::string& text) const;

 private:
  std::string marked(std::string text, std::string_view replacement) const;

  bool is_sentencepiece_;
};

}  // namespace phraseq
