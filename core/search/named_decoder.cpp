#include "core/search/named_decoder.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/plugin/component_call.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Describes what is wrong with a hypothesis over a vocabulary of `words` words; empty if nothing
/// is.
std::string fault_of(const Hypothesis& hypothesis, int64_t words) {
  const auto& tokens = hypothesis.tokens;
  if (tokens.empty() || tokens.back() != kEos)
    return "a hypothesis does not end in </s>";
  if (hypothesis.token_scores.size() != tokens.size()) {
    return fmt::format("a hypothesis of {} tokens has {} token_scores",
                       tokens.size(),
                       hypothesis.token_scores.size());
  }
  const auto outside =
      std::ranges::find_if(tokens, [words](int64_t token) { return token < 0 || token >= words; });
  if (outside != tokens.end())
    return fmt::format("a hypothesis contains id {}, but there are {} words", *outside, words);
  return {};
}

}  // namespace

NamedDecoder::NamedDecoder(const Selection& selection, const DecoderSetup& setup)
    : component_(*selection.component),
      decoder_(create<Decoder>(selection, setup)),
      words_(setup.target_vocabulary) {}

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
  for (const auto& of_sentence : found) {
    for (const Hypothesis& hypothesis : of_sentence) {
      const std::string fault = fault_of(hypothesis, words_);
      if (!fault.empty())
        throw component_failure(component_, "decode", fault);
    }
  }
  return found;
}

}  // namespace phraseq
