#pragma once

#include <vector>

#include "core/search/decoder.h"
#include "core/search/search_options.h"

/// Greedy search written out: the best token in every step. A starting point: replace the
/// choice.
namespace @name@_plugin {

/// The options that every search has (length, penalty, constraints); add your own to `describe`.
struct Settings final : phraseq::SearchOptions {};

class Search final : public phraseq::Decoder {
 public:
  Search(const Settings& options, const phraseq::DecoderSetup&) : options_(options) {}
  std::vector<std::vector<phraseq::Hypothesis>> decode(
      const phraseq::DecodingRequest& request) override;

 private:
  Settings options_;
};

}  // namespace @name@_plugin
