#include "core/search/search_input.h"

#include <algorithm>
#include <utility>

#include <ATen/ops/full_like.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include "core/base/work_profile.h"
#include "core/data/device/to_device.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/nn/functional/sum_type.h"
#include "core/plugin/component_call.h"
#include "core/search/device/device_scores.h"
#include "core/search/sessions/ensemble_session.h"
#include "core/search/sessions/fused_session.h"
#include "core/search/sessions/named_session.h"
#include "core/search/sessions/tempered_session.h"
#include "core/text/dictionary.h"

namespace phraseq {
namespace {

/// Starts a model's session; its errors name the architecture if it is known.
std::unique_ptr<DecodingSession> start(Architecture& model,
                                       const Component* architecture,
                                       const DecodingRequest& request,
                                       const DecodingLimits& limits,
                                       nn::Context& context) {
  const WorkSpan span(Work::kModel);
  const auto session = [&] { return model.start_decoding(*request.batch, limits, context); };
  if (architecture == nullptr)
    return session();
  return std::make_unique<NamedSession>(
      *architecture, call_component(*architecture, "start_decoding", session), request.vocabulary);
}

template <class Value>
Value* entry_or_null(const std::vector<Value*>& entries, size_t place) {
  return place < entries.size() ? entries[place] : nullptr;
}

}  // namespace

SearchInput::SearchInput(const DecodingRequest& request,
                         const SearchOptions& options,
                         int64_t rows_per_sentence,
                         bool needs_all_scores)
    : sentences_(describe_sentences(request, options)),
      device_(request.batch->source.ids.device()),
      needs_scores_(request.need_scores) {
  DecodingLimits limits{0, rows_per_sentence, request.need_attention};
  for (const auto& sentence : sentences_)
    limits.max_steps = std::max(limits.max_steps, sentence.max_length + 1);
  session_ = start_models(request, options.temperature, limits);
  if (request.language_model)
    session_ = fuse_language_model(request, limits);
  ranks_on_device_ = !needs_all_scores && request.candidates.empty() &&
                     (!device_.is_cpu() || nn::operators_only());
  if (!needs_all_scores)
    deferring_ = dynamic_cast<DeferringSession*>(session_.get());
  if (!request.candidates.empty())
    take_candidates(request);
}

SearchInput::SearchInput(std::vector<SentenceInput> sentences,
                         std::unique_ptr<DecodingSession> session)
    : sentences_(std::move(sentences)), session_(std::move(session)) {}

nn::Context& SearchInput::add_context(nn::Precision precision,
                                      const nn::FlatParameters* parameters) {
  contexts_.push_back(
      std::make_unique<nn::Context>(/*training=*/false, precision, /*seed=*/0, parameters));
  return *contexts_.back();
}

std::unique_ptr<DecodingSession> SearchInput::start_models(const DecodingRequest& request,
                                                           double temperature,
                                                           const DecodingLimits& limits) {
  std::vector<std::unique_ptr<DecodingSession>> sessions;
  for (size_t i = 0; i < request.models.size(); ++i) {
    nn::Context& context = add_context(request.precision, entry_or_null(request.parameters, i));
    sessions.push_back(start(
        *request.models[i], entry_or_null(request.architectures, i), request, limits, context));
    if (temperature != 1)
      sessions.back() = std::make_unique<TemperedSession>(std::move(sessions.back()), temperature);
  }
  if (sessions.size() == 1)
    return std::move(sessions.front());
  return std::make_unique<EnsembleSession>(std::move(sessions));
}

std::unique_ptr<DecodingSession> SearchInput::fuse_language_model(const DecodingRequest& request,
                                                                  DecodingLimits limits) {
  const FusionModel& language = *request.language_model;
  limits.need_attention = false;
  nn::Context& context = add_context(request.precision, language.parameters);
  return std::make_unique<FusedSession>(
      std::move(session_),
      start(*language.model, language.architecture, request, limits, context),
      language.weight);
}

/// Adds </s> and the forced tokens to the request's candidates.
void SearchInput::take_candidates(const DecodingRequest& request) {
  candidates_ = request.candidates;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    std::vector<int64_t>& words = candidates_[i];
    words.push_back(kEos);
    words.insert(words.end(), sentences_[i].prefix.begin(), sentences_[i].prefix.end());
    for (const auto& phrase : sentences_[i].lexical_constraints)
      words.insert(words.end(), phrase.begin(), phrase.end());
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  if (deferring_ != nullptr && !deferring_->restrict_to(candidates_))
    deferring_ = nullptr;
}

DecodingStep SearchInput::step(std::span<const int64_t> tokens) {
  const WorkSpan span(Work::kModel);
  const std::vector<int64_t> ids(tokens.begin(), tokens.end());
  const at::Tensor last_tokens = to_device(ids, device_);  // [rows]
  DecodingStep step = deferring_ ? deferring_->step_deferred(last_tokens)
                                 : DecodingStep{session_->step(last_tokens)};
  StepOutput& output = step.output;
  if (!step.deferred && ranks_on_device_) {
    output.scores = output.scores.to(device_);
    step.deferred = std::make_shared<DeviceScores>(output.scores, output.normalized);
  } else if (!step.deferred) {
    const auto type = nn::sum_type(output.scores);
    output.scores = output.scores.to(at::kCPU, type).contiguous();
  }
  if (output.attention.defined())
    output.attention = output.attention.to(at::kCPU, at::kFloat).contiguous();
  return step;
}

void SearchInput::keep_candidates(DecodingStep& step, std::span<const int64_t> sentences) const {
  if (candidates_.empty() || step.deferred)
    return;
  at::Tensor& scores = step.output.scores;
  const int64_t vocabulary = scores.size(1) - session_->slots();
  at::Tensor kept = at::full_like(scores, kImpossible);          // [rows, columns]
  kept.slice(1, vocabulary).copy_(scores.slice(1, vocabulary));  // [rows, slots]
  for (int64_t row = 0; row < scores.size(0); ++row) {
    const auto& words = candidates_[static_cast<size_t>(sentences[static_cast<size_t>(row)])];
    const at::Tensor ids = at::tensor(words, at::kLong);  // [words]
    kept.select(0, row).index_copy_(0, ids, scores.select(0, row).index_select(0, ids));
  }
  scores = kept;
}

}  // namespace phraseq
