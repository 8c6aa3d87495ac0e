#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The inverse of MosesTokenizer: joins tokens to text, like the detokenizer of sacremoses 0.1.1.
class PHRASEQ_API MosesDetokenizer {
 public:
  explicit MosesDetokenizer(const std::string& language);
  ~MosesDetokenizer();

  std::string detokenize(const std::vector<std::string>& tokens) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace phraseq
