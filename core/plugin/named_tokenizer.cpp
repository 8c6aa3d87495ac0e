#include "core/plugin/named_tokenizer.h"

#include "core/plugin/component_call.h"

namespace phraseq {

NamedTokenizer::NamedTokenizer(const Selection& selection, const TokenizerSetup& setup)
    : component_(*selection.component), tokenizer_(create<Tokenizer>(selection, setup)) {}

std::vector<std::string> NamedTokenizer::encode(std::string_view line) const {
  return call_component(component_, "encode", [&] { return tokenizer_->encode(line); });
}

std::vector<std::string> NamedTokenizer::sample(std::string_view line, uint64_t seed) const {
  return call_component(component_, "sample", [&] { return tokenizer_->sample(line, seed); });
}

std::string NamedTokenizer::decode(const std::vector<std::string>& symbols) const {
  return call_component(component_, "decode", [&] { return tokenizer_->decode(symbols); });
}

std::string NamedTokenizer::model() const {
  return call_component(component_, "model", [&] { return tokenizer_->model(); });
}

}  // namespace phraseq
