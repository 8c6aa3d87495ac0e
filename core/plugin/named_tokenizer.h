#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// A plugin's tokenizer: if it throws, the error names the plugin. The selection's component
/// outlives it.
class PHRASEQ_API NamedTokenizer final : public Tokenizer {
 public:
  /// Makes the selected tokenizer.
  NamedTokenizer(const Selection& selection, const TokenizerSetup& setup);

  std::vector<std::string> encode(std::string_view line) const override;
  std::vector<std::string> sample(std::string_view line, uint64_t seed) const override;
  std::string decode(const std::vector<std::string>& symbols) const override;
  std::string model() const override;

 private:
  const Component& component_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

}  // namespace phraseq
