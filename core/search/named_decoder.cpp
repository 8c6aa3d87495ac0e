#include "core/search/named_decoder.h"

#include "core/plugin/component_call.h"

namespace phraseq {

NamedDecoder::NamedDecoder(const Selection& selection, const DecoderSetup& setup)
    : component_(*selection.component), decoder_(create<Decoder>(selection, setup)) {}

std::vector<std::vector<Hypothesis>> NamedDecoder::decode(const DecodingRequest& request) {
  return call_component(component_, "decode", [&] { return decoder_->decode(request); });
}

}  // namespace phraseq
