#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

/// Every character is a symbol. A starting point: replace the segmentation.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  void describe(phraseq::OptionTable&) override {}
};

/// A space becomes U+2581: symbols contain no whitespace.
class Characters final : public phraseq::Tokenizer {
 public:
  Characters(const Settings&, const phraseq::TokenizerSetup&) {}
  std::vector<std::string> encode(std::string_view line) const override;
  std::string decode(const std::vector<std::string>& symbols) const override;
};

}  // namespace @name@_plugin
