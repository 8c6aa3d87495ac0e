#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// The punctuation normalization of Moses, like MosesPunctNormalizer of sacremoses 0.1.1 with its
/// defaults: unifies quotation marks, dashes, spaces and digits.
class PHRASEQ_API MosesNormalizer {
 public:
  explicit MosesNormalizer(const std::string& language);
  ~MosesNormalizer();

  std::string normalize(std::string_view line) const;

 private:
  struct Rules;
  std::unique_ptr<const Rules> rules_;
};

}  // namespace phraseq
