#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/base/api.h"

namespace phraseq {

/// The model of a truecaser, learned from tokenized text as sacremoses and the script
/// train-truecaser.perl of Moses do: for each word, the spellings that occur within sentences, with
/// their counts, one word per line,
///
///     SPELLING (COUNT/TOTAL) SPELLING (COUNT) …
///
/// `next` reads the next line; it returns false at the end.
PHRASEQ_API std::string learn_truecase_model(const std::function<bool(std::string&)>& next);

/// Gives every word of a tokenized line its most frequent spelling, like the truecaser of
/// sacremoses 0.2.0; words that the model does not contain do not change. Tags `<…>` and the
/// factors of a word, after `|`, are not changed.
class PHRASEQ_API MosesTruecaser {
 public:
  /// Parses the text of a model; `name` is used in error messages. `keeps_known`: within a
  /// sentence, a word in any spelling that the model contains does not change, as in Moses
  /// (sacremoses: use_known). Throws a FormatError that names the line.
  MosesTruecaser(const std::string& model, const std::string& name, bool keeps_known);

  std::string truecase(std::string_view line) const;

 private:
  std::string word(const std::string& text, bool is_first) const;

  std::unordered_map<std::string, std::string> best_;  ///< by the word in lowercase
  std::unordered_set<std::string> known_;              ///< all other spellings
  bool keeps_known_;
};

/// Capitalizes the first word of every sentence of a tokenized line, like the detruecaser of
/// sacremoses.
PHRASEQ_API std::string detruecase(std::string_view line);

}  // namespace phraseq
