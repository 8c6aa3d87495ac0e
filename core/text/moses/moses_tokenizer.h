#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Optional steps of the tokenizer of Moses.
struct MosesSettings {
  bool escape = true;       ///< & becomes &amp;, " becomes &quot; …
  bool dash_splits = true;  ///< "foo-bar" becomes "foo @-@ bar"
};

/// The tokenizer of Moses as implemented in sacremoses 0.1.1, with the same output for every line.
/// Languages without their own rules use those of English for abbreviations.
class PHRASEQ_API MosesTokenizer {
 public:
  explicit MosesTokenizer(const std::string& language, MosesSettings settings = {});
  ~MosesTokenizer();

  /// The tokens, separated by blanks.
  std::string tokenize(std::string_view line) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace phraseq
