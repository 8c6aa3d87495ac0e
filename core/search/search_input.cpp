#include "core/search/search_input.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/data/phrases/phrase_extras.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/plugin/component_call.h"
#include "core/search/device/device_scores.h"
#include "core/search/sessions/ensemble_session.h"
#include "core/search/sessions/fused_session.h"
#include "core/search/sessions/named_session.h"
#include "core/search/sessions/tempered_session.h"
#include "core/text/dictionary.h"

namespace phraseq {

namespace {

constexpr int64_t kRowsPerTask = 4;

int64_t length_of(const PackedTokens& tokens, int64_t sentence) {
  const auto place = static_cast<size_t>(sentence);
  return tokens.offsets[place + 1] - tokens.offsets[place];
}

/// The first tokens of a sentence's reference.
std::vector<int64_t> forced_prefix(const Batch& batch, int64_t sentence, int64_t size) {
  if (size == 0)
    return {};
  if (!batch.has_target()) {
    throw UsageError(
        "--prefix-size forces tokens of references, but there are no references",
        "translate a data folder that has the target side, or do not use --prefix-size");
  }
  const int64_t begin = batch.target_in.offsets[static_cast<size_t>(sentence)];
  const int64_t length = std::min(size, length_of(batch.target_in, sentence));
  const at::Tensor tokens =
      batch.target_out.slice(0, begin, begin + length).cpu().contiguous();  // [length]
  return {tokens.data_ptr<int64_t>(), tokens.data_ptr<int64_t>() + length};
}

/// The tokens of a sentence's source that are no special ones.
int64_t words_of(const PackedTokens& source, int64_t sentence) {
  const int64_t begin = source.offsets[static_cast<size_t>(sentence)];
  const at::Tensor ids = source.ids.slice(0, begin, begin + length_of(source, sentence))
                             .cpu()
                             .contiguous();  // [tokens]
  const auto* first = ids.const_data_ptr<int64_t>();
  return std::count_if(first, first + ids.numel(), [](int64_t id) { return id >= kUnk; });
}

/// The tokens before </s>: at most, or with --match-source-len exactly.
int64_t max_length_of(const Batch& batch,
                      int64_t sentence,
                      const SearchOptions& options,
                      int64_t limit) {
  if (!options.constraints.match_source_len)
    return options.length_cap.max_length(length_of(batch.source, sentence), limit);
  const int64_t words = words_of(batch.source, sentence);
  if (words < limit)
    return words;
  throw DataError(
      fmt::format("sentence {} has {} tokens; --match-source-len needs as many in the translation, "
                  "and the model writes at most {} before </s>",
                  batch.sentence_ids[static_cast<size_t>(sentence)] + 1,
                  words,
                  limit - 1),
      "split the sentence, or leave --match-source-len out");
}

/// The strings of every sentence's phrases, empty for a batch without any.
std::vector<std::vector<std::vector<int64_t>>> strings_of_phrases(const Batch& batch) {
  std::vector<std::vector<std::vector<int64_t>>> all(static_cast<size_t>(batch.sentences()));
  if (batch.host_extras.count(kPhraseStrings) == 0)
    return all;
  const auto& first_slot = phrase_numbers(batch, kPhraseSlotOffsets);
  const auto& first_word = phrase_numbers(batch, kPhraseWordOffsets);
  const auto& strings = phrase_numbers(batch, kPhraseStrings);
  for (size_t sentence = 0; sentence < all.size(); ++sentence) {
    for (auto slot = static_cast<size_t>(first_slot[sentence]);
         slot < static_cast<size_t>(first_slot[sentence + 1]);
         ++slot) {
      all[sentence].emplace_back(strings.begin() + first_word[slot],
                                 strings.begin() + first_word[slot + 1]);
    }
  }
  return all;
}

int64_t start_token_of(const DecodingRequest& request) {
  const bool bos = request.models.front()->conventions().start_with_bos;
  for (const auto* model : request.models) {
    if (model->conventions().start_with_bos != bos) {
      throw UsageError(
          "--path: the models of the ensemble start their translations with different tokens",
          "an ensemble needs models trained with one --start-token");
    }
  }
  return bos ? kBos : kEos;
}

/// One a sentence: what the batch says, or the models' convention.
std::vector<int64_t> start_tokens_of(const DecodingRequest& request) {
  const int64_t start = start_token_of(request);
  const auto own = request.batch->extras.find(kStartExtra);
  if (own == request.batch->extras.end())
    return std::vector<int64_t>(static_cast<size_t>(request.batch->sentences()), start);
  const at::Tensor tokens = own->second.cpu().contiguous();  // [sentences]
  return {tokens.const_data_ptr<int64_t>(), tokens.const_data_ptr<int64_t>() + tokens.numel()};
}

std::vector<SentenceInput> describe_sentences(const DecodingRequest& request,
                                              const SearchOptions& options) {
  int64_t limit = request.models.front()->max_target_positions();
  for (const auto* model : request.models) limit = std::min(limit, model->max_target_positions());
  if (request.language_model)
    limit = std::min(limit, request.language_model->model->max_target_positions());
  auto phrase_strings = strings_of_phrases(*request.batch);
  const std::vector<int64_t> starts = start_tokens_of(request);
  std::vector<SentenceInput> sentences;
  for (int64_t i = 0; i < request.batch->sentences(); ++i) {
    const int64_t length = length_of(request.batch->source, i);
    sentences.push_back({request.batch->sentence_ids[static_cast<size_t>(i)],
                         length,
                         max_length_of(*request.batch, i, options, limit),
                         forced_prefix(*request.batch, i, options.prefix_size),
                         std::move(phrase_strings[static_cast<size_t>(i)])});
    if (options.prefix_size == 0 && !request.prompts.empty())
      sentences.back().prefix = request.prompts[static_cast<size_t>(i)];
    if (!request.lexical_constraints.empty())
      sentences.back().lexical_constraints = request.lexical_constraints[static_cast<size_t>(i)];
    sentences.back().start_token = starts[static_cast<size_t>(i)];
  }
  return sentences;
}

/// What the constraint adds to the log-probability of a column.
double change_of(int64_t column, const StepConstraint& constraint) {
  double change = 0;
  for (const ScoreEdit& edit : constraint.edits) change += edit.column == column ? edit.change : 0;
  return change;
}

/// One column alone. Returns the row's normalizer, NaN when scores are not finite.
template <class Number>
double rank_only(std::span<const Number> scores,
                 int64_t column,
                 bool costs_nothing,
                 bool normalized,
                 std::vector<RankedColumn>& best) {
  if (costs_nothing) {
    best.assign(1, {0.0, column});
    return 0;
  }
  const double norm = normalized ? 0 : log_sum_exp(scores);
  const auto score = static_cast<double>(scores[static_cast<size_t>(column)]);
  best.assign(1, {score - norm, column});
  return std::isnan(score) ? score : norm;
}

template <class Number>
double rank_row(std::span<const Number> scores,
                const StepConstraint& constraint,
                int64_t k,
                bool normalized,
                std::vector<RankedColumn>& best) {
  if (constraint.only == kNoDecision)
    return 0;
  if (constraint.only >= 0) {
    const double norm_of_only =
        rank_only(scores, constraint.only, constraint.costs_nothing, normalized, best);
    best.front().log_probability += change_of(constraint.only, constraint);
    return norm_of_only;
  }
  const double norm = log_softmax_top_k(scores, k, constraint.edits, normalized, best);
  if (!best.empty() || std::isnan(norm))
    return norm;
  return rank_only(scores, kEos, /*costs_nothing=*/false, normalized, best);
}

template <class Number>
void rank_all(const StepOutput& output,
              const std::vector<StepConstraint>& constraints,
              int64_t k,
              std::vector<std::vector<RankedColumn>>& ranked,
              std::vector<double>& norms) {
  const auto columns = static_cast<size_t>(output.scores.size(1));
  const auto* scores = output.scores.data_ptr<Number>();
  at::parallel_for(0, output.scores.size(0), kRowsPerTask, [&](int64_t begin, int64_t end) {
    for (auto row = static_cast<size_t>(begin); row < static_cast<size_t>(end); ++row) {
      norms[row] = rank_row(std::span<const Number>(scores + row * columns, columns),
                            constraints[row],
                            k,
                            output.normalized,
                            ranked[row]);
    }
  });
}

/// What a row's constraint asks of deferred scores: the edited columns, and </s>, the last resort.
ScoreQuery query_of(const StepConstraint& constraint, int64_t k) {
  if (constraint.only == kNoDecision || constraint.costs_nothing)
    return {};
  if (constraint.only >= 0)
    return {0, {constraint.only}};
  ScoreQuery query{k, {}};
  for (const ScoreEdit& edit : constraint.edits) query.columns.push_back(edit.column);
  if (std::find(query.columns.begin(), query.columns.end(), kEos) == query.columns.end())
    query.columns.push_back(kEos);
  return query;
}

/// The columns of a row that may say anything but its edits, as log_softmax_top_k has them.
std::vector<RankedColumn> edited_best(const ScoreAnswer& answer,
                                      const ScoreQuery& query,
                                      const StepConstraint& constraint) {
  std::vector<RankedColumn> best;
  const auto offer = [&](double log_probability, int64_t column) {
    if (log_probability > -std::numeric_limits<double>::infinity())
      best.push_back({log_probability, column});
  };
  for (const RankedColumn& found : answer.best)
    offer(found.log_probability - answer.normalizer, found.column);
  for (size_t i = 0; i < query.columns.size(); ++i) {
    const bool is_edit = i < constraint.edits.size();
    offer(answer.scores[i] - answer.normalizer + (is_edit ? constraint.edits[i].change : 0.0),
          query.columns[i]);
  }
  std::sort(best.begin(), best.end(), [](const RankedColumn& a, const RankedColumn& b) {
    return ranks_before(a, b);
  });
  if (static_cast<int64_t>(best.size()) > query.best)
    best.resize(static_cast<size_t>(query.best));
  return best;
}

/// One row of rank_all for deferred scores. Returns the row's normalizer.
double rank_answer(const ScoreAnswer& answer,
                   const ScoreQuery& query,
                   const StepConstraint& constraint,
                   std::vector<RankedColumn>& best) {
  if (constraint.only == kNoDecision)
    return 0;
  if (constraint.only >= 0 && constraint.costs_nothing) {
    best.assign(1, {0.0, constraint.only});
    return 0;
  }
  if (constraint.only < 0)
    best = edited_best(answer, query, constraint);
  if (!best.empty() || std::isnan(answer.normalizer))
    return answer.normalizer;
  const int64_t column = constraint.only >= 0 ? constraint.only : kEos;
  const auto place =
      std::find(query.columns.begin(), query.columns.end(), column) - query.columns.begin();
  const double change = constraint.only >= 0 ? change_of(column, constraint) : 0;
  best.assign(1, {answer.scores[static_cast<size_t>(place)] - answer.normalizer + change, column});
  return answer.normalizer;
}

void rank_deferred(const DeferredScores& scores,
                   const std::vector<StepConstraint>& constraints,
                   int64_t k,
                   std::vector<std::vector<RankedColumn>>& ranked,
                   std::vector<double>& norms) {
  std::vector<ScoreQuery> queries;
  for (const StepConstraint& constraint : constraints) queries.push_back(query_of(constraint, k));
  const auto answers = scores.answer(queries);
  for (size_t row = 0; row < constraints.size(); ++row)
    norms[row] = rank_answer(answers[row], queries[row], constraints[row], ranked[row]);
}

void reject_impossible(const std::vector<std::vector<RankedColumn>>& ranked) {
  for (const auto& best : ranked) {
    if (best.empty() || std::isfinite(best.front().log_probability))
      continue;
    const int64_t column = best.front().column;
    throw DivergenceError(
        fmt::format("a translation can only go on with {}, which is impossible for the model",
                    column == kEos ? std::string("</s>") : fmt::format("token {}", column)),
        "loosen the constraints: --prefix-size, --min-len, --no-repeat-ngram-size, --max-len-b");
  }
}

/// ln p of columns of a row, before constraints.
template <class Number>
std::vector<double> log_probabilities_in(const StepOutput& output,
                                         int64_t row,
                                         std::span<const int64_t> wanted) {
  const auto columns = static_cast<size_t>(output.scores.size(1));
  const std::span<const Number> scores(
      output.scores.data_ptr<Number>() + static_cast<size_t>(row) * columns, columns);
  const double norm = output.normalized ? 0 : log_sum_exp(scores);
  std::vector<double> found;
  for (const int64_t column : wanted)
    found.push_back(static_cast<double>(scores[static_cast<size_t>(column)]) - norm);
  return found;
}

/// ln p of a column with its constraint.
double constrained(double log_probability, int64_t column, const StepConstraint& constraint) {
  if (constraint.only >= 0 && constraint.only != column)
    return -std::numeric_limits<double>::infinity();
  if (constraint.only == column && constraint.costs_nothing)
    return 0;
  return log_probability + change_of(column, constraint);
}

/// A session of a model; what it throws names the architecture where that is known.
std::unique_ptr<DecodingSession> start(Architecture& model,
                                       const Component* architecture,
                                       const Batch& batch,
                                       const DecodingLimits& limits,
                                       nn::Context& context) {
  const WorkSpan span(Work::kModel);
  const auto session = [&] { return model.start_decoding(batch, limits, context); };
  if (architecture == nullptr)
    return session();
  return std::make_unique<NamedSession>(*architecture,
                                        call_component(*architecture, "start_decoding", session));
}

}  // namespace

SearchInput::SearchInput(const DecodingRequest& request,
                         const SearchOptions& options,
                         int64_t rows_per_sentence,
                         bool needs_all_scores)
    : sentences_(describe_sentences(request, options)),
      device_(request.batch->source.ids.device()) {
  DecodingLimits limits{0, rows_per_sentence, request.need_attention};
  for (const auto& sentence : sentences_)
    limits.max_steps = std::max(limits.max_steps, sentence.max_length + 1);
  std::vector<std::unique_ptr<DecodingSession>> sessions;
  const auto add_context = [&](const nn::FlatParameters* parameters) -> nn::Context& {
    contexts_.push_back(std::make_unique<nn::Context>(false, request.precision, 0, parameters));
    return *contexts_.back();
  };
  for (size_t i = 0; i < request.models.size(); ++i) {
    const auto* parameters = i < request.parameters.size() ? request.parameters[i] : nullptr;
    const auto* architecture =
        i < request.architectures.size() ? request.architectures[i] : nullptr;
    sessions.push_back(
        start(*request.models[i], architecture, *request.batch, limits, add_context(parameters)));
    if (options.temperature != 1) {
      sessions.back() =
          std::make_unique<TemperedSession>(std::move(sessions.back()), options.temperature);
    }
  }
  session_ = sessions.size() == 1 ? std::move(sessions.front())
                                  : std::make_unique<EnsembleSession>(std::move(sessions));
  if (const auto& language = request.language_model) {
    limits.need_attention = false;
    nn::Context& context = add_context(language->parameters);
    session_ = std::make_unique<FusedSession>(
        std::move(session_),
        start(*language->model, language->architecture, *request.batch, limits, context),
        language->weight);
  }
  ranks_on_device_ = !needs_all_scores && request.candidates.empty() &&
                     (!device_.is_cpu() || nn::operators_only());
  if (!needs_all_scores)
    deferring_ = dynamic_cast<DeferringSession*>(session_.get());
  if (!request.candidates.empty())
    take_candidates(request);
}

/// With what the search says besides: </s> and what is forced.
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

SearchInput::SearchInput(std::vector<SentenceInput> sentences,
                         std::unique_ptr<DecodingSession> session)
    : sentences_(std::move(sentences)), session_(std::move(session)) {}

SearchStep SearchInput::step(std::span<const int64_t> tokens) {
  const WorkSpan span(Work::kModel);
  const std::vector<int64_t> ids(tokens.begin(), tokens.end());
  const at::Tensor last_tokens = at::tensor(ids, at::kLong).to(device_);  // [rows]
  std::shared_ptr<const DeferredScores> deferred;
  StepOutput output =
      deferring_ ? deferring_->step_deferred(last_tokens, &deferred) : session_->step(last_tokens);
  if (!deferred) {
    const auto type = output.scores.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    output.scores = output.scores.to(ranks_on_device_ ? device_ : at::kCPU, type).contiguous();
    if (ranks_on_device_)
      deferred = std::make_shared<DeviceScores>(output.scores, output.normalized);
  }
  if (output.attention.defined())
    output.attention = output.attention.to(at::kCPU, at::kFloat).contiguous();
  return {std::move(output), std::move(deferred)};
}

void SearchInput::keep_candidates(SearchStep& output, std::span<const int64_t> sentences) const {
  if (candidates_.empty() || output.deferred)
    return;
  const int64_t vocabulary = output.scores.size(1) - session_->slots();
  at::Tensor kept =
      at::full_like(output.scores, -std::numeric_limits<double>::infinity());  // [rows, columns]
  kept.slice(1, vocabulary).copy_(output.scores.slice(1, vocabulary));         // [rows, slots]
  for (int64_t row = 0; row < output.scores.size(0); ++row) {
    const auto& words = candidates_[static_cast<size_t>(sentences[static_cast<size_t>(row)])];
    const at::Tensor ids = at::tensor(words, at::kLong);  // [words]
    kept.select(0, row).index_copy_(0, ids, output.scores.select(0, row).index_select(0, ids));
  }
  output.scores = kept;
}

std::vector<std::vector<RankedColumn>> rank_rows(const SearchStep& output,
                                                 const std::vector<StepConstraint>& constraints,
                                                 int64_t k) {
  const WorkSpan span(Work::kScores);
  std::vector<std::vector<RankedColumn>> ranked(constraints.size());
  std::vector<double> norms(constraints.size());
  if (output.deferred) {
    rank_deferred(*output.deferred, constraints, k, ranked, norms);
  } else if (output.scores.scalar_type() == at::kDouble) {
    rank_all<double>(output, constraints, k, ranked, norms);
  } else {
    rank_all<float>(output, constraints, k, ranked, norms);
  }
  if (std::any_of(norms.begin(), norms.end(), [](double norm) { return std::isnan(norm); })) {
    throw DivergenceError("the scores of the model are not finite",
                          "training of the checkpoint may have diverged: `phraseq inspect` shows "
                          "its tensors; or try --precision fp32");
  }
  reject_impossible(ranked);
  return ranked;
}

double log_probability_of(const StepOutput& output,
                          int64_t row,
                          int64_t column,
                          const StepConstraint& constraint) {
  return log_probabilities_of(output, row, std::span(&column, 1), constraint).front();
}

std::vector<double> log_probabilities_of(const StepOutput& output,
                                         int64_t row,
                                         std::span<const int64_t> columns,
                                         const StepConstraint& constraint) {
  const bool is_double = output.scores.scalar_type() == at::kDouble;
  auto found = is_double ? log_probabilities_in<double>(output, row, columns)
                         : log_probabilities_in<float>(output, row, columns);
  for (size_t i = 0; i < columns.size(); ++i)
    found[i] = constrained(found[i], columns[i], constraint);
  return found;
}

}  // namespace phraseq
