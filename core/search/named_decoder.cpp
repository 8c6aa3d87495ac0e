#include "core/search/named_decoder.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/plugin/component_call.h"

namespace phraseq {

NamedDecoder::NamedDecoder(const Selection& selection, const DecoderSetup& setup)
    : component_(*selection.component), decoder_(create<Decoder>(selection, setup)) {}

std::vector<std::vector<Hypothesis>> NamedDecoder::decode(const DecodingRequest& request) {
  auto found = call_component(component_, "decode", [&] { return decoder_->decode(request); });
  if (static_cast<int64_t>(found.size()) != request.batch->sentences()) {
    throw component_failure(component_,
                            "decode",
                            fmt::format("it returned translations of {} sentences, not of {}",
                                        found.size(),
                                        request.batch->sentences()));
  }
  if (std::ranges::any_of(found, &std::vector<Hypothesis>::empty))
    throw component_failure(component_, "decode", "a sentence has no hypothesis");
  return found;
}

}  // namespace phraseq
