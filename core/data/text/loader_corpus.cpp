#include "core/data/text/loader_corpus.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/data/text/id_sequence.h"
#include "core/plugin/component_call.h"

namespace phraseq {

LoaderCorpus::LoaderCorpus(const Component& loader,
                           std::unique_ptr<Corpus> corpus,
                           const SequenceConventions& conventions,
                           std::string dictionaries,
                           const Sentences& sentences)
    : loader_(loader),
      corpus_(require_result(loader, "open", std::move(corpus), "corpus")),
      added_to_source_(conventions.source_has_bos ? 1 : 0),
      taken_from_source_(conventions.source_has_eos ? 0 : 1),
      dictionaries_(std::move(dictionaries)),
      sentences_(sentences) {}

int64_t LoaderCorpus::size() const {
  const int64_t size = call_component(loader_, "size", [&] { return corpus_->size(); });
  if (size < 0)
    throw component_failure(loader_, "size", fmt::format("the size is {}", size));
  return size;
}

int64_t LoaderCorpus::source_length(int64_t index) const {
  const int64_t length =
      call_component(loader_, "source_length", [&] { return corpus_->source_length(index); });
  return as_model_reads(length);
}

int64_t LoaderCorpus::target_length(int64_t index) const {
  return call_component(loader_, "target_length", [&] { return corpus_->target_length(index); });
}

EmptyLengths LoaderCorpus::empty_lengths() const {
  EmptyLengths lengths = corpus_->empty_lengths();
  lengths.source = as_model_reads(lengths.source);
  return lengths;
}

int64_t LoaderCorpus::as_model_reads(int64_t source_length) const {
  return std::max<int64_t>(0, added_to_source_ + source_length - taken_from_source_);
}

Example LoaderCorpus::get(int64_t index) const {
  Example example = call_component(loader_, "get", [&] { return corpus_->get(index); });
  if (const std::string fault = fault_of(example); !fault.empty())
    throw component_failure(loader_, "get", fmt::format("sentence {}: {}", index + 1, fault));
  return example;
}

std::string LoaderCorpus::fault_of(const Example& example) const {
  if (sentences_.need_alignment && !example.extras.contains(kAlignmentExtra))
    return "there is no alignment, which --load-alignments requires";
  if (const auto fault = fault_of_ids(example.source, sentences_.source_words); !fault.empty())
    return "the source " + fault;
  if (example.target.empty())
    return sentences_.need_target ? "there is no target" : "";
  const auto fault = fault_of_ids(example.target, sentences_.target_words);
  return fault.empty() ? "" : "the target " + fault;
}

void LoaderCorpus::start_epoch(int64_t epoch) {
  call_component(loader_, "start_epoch", [&] { corpus_->start_epoch(epoch); });
}

std::string LoaderCorpus::fingerprint() const {
  return call_component(loader_, "fingerprint", [&] { return corpus_->fingerprint(); }) +
         dictionaries_;
}

}  // namespace phraseq
