#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// Splits text that is already tokenized at whitespace, and lowercases it on request.
class PHRASEQ_API WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(bool lowercase = false) : lowercase_(lowercase) {}
  std::vector<std::string> encode(std::string_view line) const override;
  std::string decode(const std::vector<std::string>& symbols) const override;

 private:
  bool lowercase_;
};

}  // namespace phraseq
