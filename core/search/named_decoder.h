#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"
#include "core/search/decoder.h"

namespace phraseq {

/// A plugin's decoder: if it throws or returns something that is not a translation, the error names
/// the plugin.
class PHRASEQ_API NamedDecoder : public Decoder {
 public:
  /// Makes the selected decoder.
  NamedDecoder(const Selection& selection, const DecoderSetup& setup);

  std::vector<std::vector<Hypothesis>> decode(const DecodingRequest& request) override;

 private:
  const Component& component_;
  std::unique_ptr<Decoder> decoder_;
  int64_t words_;
};

}  // namespace phraseq
