#include "core/nn/recurrent/recurrent_decoder.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tanh.h>

#include "core/nn/functional/additive_step.h"
#include "core/nn/functional/normalization.h"
#include "core/nn/padded_layout.h"
#include "core/nn/recording.h"
#include "core/nn/recurrent/recurrent_encoder.h"
#include "core/nn/recurrent/recurrent_product.h"

namespace phraseq::nn {
namespace {

/// The first rows of a part that may be undefined. If these are all rows, returns the part itself,
/// because the backward pass of a view would copy the whole tensor.
at::Tensor first_of(const at::Tensor& x, int64_t rows) {
  return x.defined() && x.size(0) != rows ? x.narrow(0, 0, rows) : x;  // [rows, …]
}

at::Tensor select_rows(const at::Tensor& x, const at::Tensor& rows) {
  return x.defined() ? x.index_select(0, rows) : x;  // [rows, …]
}

/// Σ_j α_j x_j: weights [rows, src_time], x [rows, src_time, width] → [rows, width].
at::Tensor weighted_sum(const at::Tensor& weights, const at::Tensor& x) {
  return at::bmm(weights.unsqueeze(1), x).squeeze(1);  // [rows, width]
}

/// Collects the rows of all steps of a walk and packs them; undefined if the steps have none.
class StepRows {
 public:
  void add(const at::Tensor& rows) { rows_.push_back(rows); }
  at::Tensor packed(const TimeMajor& walk) const {
    return rows_.front().defined() ? walk.pack(at::cat(rows_))  // [target tokens, …]
                                   : at::Tensor();
  }

 private:
  std::vector<at::Tensor> rows_;
};

/// The results of all steps of a walk.
class WalkedSteps {
 public:
  void add(const RecurrentStep& step) {
    states_.add(step.decision.state);
    contexts_.add(step.decision.context);
    context_tags_.add(step.decision.context_tags);
    old_hidden_.add(step.old_hidden);
    weights_.add(step.weights);
  }

  /// The results in the order of the target tokens, with the embeddings that were fed.
  RecurrentStep packed(const TimeMajor& walk, const at::Tensor& embedding) const {
    return {{states_.packed(walk),
             contexts_.packed(walk),
             context_tags_.packed(walk),
             walk.pack(embedding)},
            old_hidden_.packed(walk),
            weights_.packed(walk)};
  }

 private:
  StepRows states_, contexts_, context_tags_, old_hidden_, weights_;
};

}  // namespace

RecurrentMemory RecurrentMemory::first(int64_t n) const {
  return {states, keys, first_of(mask, n), first_of(coverage, n), first_of(tags, n)};
}

RecurrentMemory RecurrentMemory::select(const at::Tensor& rows) const {
  return {{select_rows(states.value, rows)},
          {select_rows(keys.value, rows)},
          select_rows(mask, rows),
          select_rows(coverage, rows),
          select_rows(tags, rows)};
}

RecurrentState RecurrentState::first(int64_t n) const {
  return {first_of(hidden, n), first_of(coverage, n)};
}

RecurrentState RecurrentState::select(const at::Tensor& rows) const {
  return {select_rows(hidden, rows), select_rows(coverage, rows)};
}

std::vector<RecurrentDecoder::Fed> RecurrentDecoder::Fed::steps(const TimeMajor& walk) const {
  const auto embeddings = walk.steps(embedding), queries = walk.steps(query),
             inputs = walk.steps(input);
  std::vector<Fed> of_steps;
  for (size_t i = 0; i < inputs.size(); ++i)
    of_steps.push_back({embeddings[i], queries[i], inputs[i]});
  return of_steps;
}

RecurrentDecoder::RecurrentDecoder(const RecurrentOptions& o, int64_t vocabulary, int64_t slots)
    : options_(o) {
  embed_tokens_ =
      register_module("embed_tokens", std::make_shared<EmbeddingTable>(vocabulary, o.embed_dim));
  initial_state_ = register_module(
      "initial_state", std::make_shared<LinearMap>(2 * o.hidden, o.hidden, /*with_bias=*/true));
  attention_ = register_module("attention", std::make_shared<AdditiveAttention>(o, slots));
  if (o.has_coverage())
    coverage_ = register_module("coverage", std::make_shared<Coverage>(o, slots));
  if (o.two_cells()) {
    first_cell_ = register_module("rnn", std::make_shared<GruCell>(o.embed_dim, o.hidden));
    second_cell_ = register_module("rnn2", std::make_shared<SecondGru>(o, slots));
  } else {
    cell_ = register_module("rnn", std::make_shared<ContextGru>(o, slots));
  }
  readout_ = register_module("readout",
                             std::make_shared<Readout>(o, o.embed_dim, slots, /*with_bias=*/true));
  output_projection_ =
      register_module("output_projection",
                      std::make_shared<LinearMap>(o.embed_dim, vocabulary, /*with_bias=*/true));
}

RecurrentMemory RecurrentDecoder::read(const at::Tensor& h,
                                       const PackedTokens& source,
                                       const at::Tensor& tags,
                                       Context& context) const {
  const reference::PaddedLayout layout(source.offsets, h.device());
  RecurrentMemory memory;
  const at::Tensor states = layout.pad(h);  // [batch, src_time, 2 · hidden]
  memory.states = {states};
  memory.keys = {attention_->keys(states, context)};  // [batch, src_time, 2 · hidden]
  memory.mask = layout.mask;
  if (coverage_)
    memory.coverage = coverage_->read(states, context);
  memory.tags = tags;
  return memory;
}

RecurrentState RecurrentDecoder::start(const RecurrentMemory& memory, Context& context) const {
  const at::Tensor words = memory.mask.sum(1, /*keepdim=*/true);  // [batch, 1]
  const at::Tensor mean = memory.states.value.sum(1) / words;     // [batch, 2 · hidden]
  return {at::tanh(recurrent_product(mean, initial_state_->weight, initial_state_->bias, context)),
          coverage_ ? coverage_->start(memory.states.value) : at::Tensor()};
}

RecurrentDecoder::Fed RecurrentDecoder::feed(const at::Tensor& ids,
                                             const at::Tensor& first,
                                             Context& context) const {
  const at::Tensor embedding =  // [rows, embed]
      recurrent_embedding(ids, *embed_tokens_, context).masked_fill(first.unsqueeze(1), 0.0);
  const GruCell& cell = cell_ ? static_cast<const GruCell&>(*cell_) : *first_cell_;
  return {embedding,
          attention_->embedding_query(embedding, context),
          cell.input_products(embedding, context)};
}

RecurrentStep RecurrentDecoder::step(const Fed& fed,
                                     const RecurrentMemory& memory,
                                     const at::Tensor& active,
                                     RecurrentState& state,
                                     Context& context) const {
  const at::Tensor old = state.hidden;
  const at::Tensor tags =  // [rows, src_time, slots]
      memory.tags.defined() && active.defined() ? memory.tags * active.unsqueeze(1) : memory.tags;
  const at::Tensor asking =  // [rows, hidden]
      first_cell_ ? gru_update(fed.input, first_cell_->hidden_products(old, context), old) : old;
  const at::Tensor weights = attention_->weights(memory.keys,
                                                 memory.mask,
                                                 {asking, fed.query, state.coverage, tags},
                                                 context);  // [rows, src_time]
  DecisionState decision{
      {},
      attended_sum(weights, memory.states),                         // [rows, 2 · hidden]
      tags.defined() ? weighted_sum(weights, tags) : at::Tensor(),  // [rows, slots]
      fed.embedding};
  decision.state = cell_ ? cell_->step(fed.input, old, decision, context)
                         : second_cell_->step(asking, decision, context);
  if (coverage_)
    state.coverage =
        coverage_->update(state.coverage, weights, old, memory.coverage, tags, context);
  state.hidden = decision.state;
  return {decision, old, weights};
}

namespace {

/// Records weights [target tokens, src_time] as one kind of query, one head, and one kind of key.
void record_weights(const torch::nn::Module& attention,
                    const at::Tensor& weights,
                    Context& context) {
  context.recording()->add(
      attention,
      "weights",
      weights.view(
          {1, 1, weights.size(0), 1, weights.size(1)}));  // [1, 1, target tokens, 1, src_time]
}

}  // namespace

RecurrentStep RecurrentDecoder::forward(const PackedTokens& target,
                                        const at::Tensor& h,
                                        const PackedTokens& source,
                                        const TagSchedule& schedule,
                                        Context& context) const {
  const TimeMajor walk(target.offsets, h.device());
  RecurrentMemory memory = read(h, source, schedule.tags, context).select(walk.sentences);
  const Fed fed = feed(target.ids.index_select(0, walk.order),              // [target tokens]
                       target.positions.index_select(0, walk.order).eq(0),  // [target tokens]
                       context);
  const at::Tensor active = select_rows(schedule.active, walk.order);  // [target tokens, slots]
  RecurrentState state = start(memory, context);
  memory.states = share_gradient(memory.states.value);
  memory.keys = share_gradient(memory.keys.value);
  WalkedSteps steps;
  const auto fed_steps = fed.steps(walk);
  const auto active_steps = walk.steps(active);
  for (size_t i = 0; i < walk.counts.size(); ++i) {
    const int64_t rows = walk.counts[i];
    state = state.first(rows);
    RecurrentStep made = step(fed_steps[i], memory.first(rows), active_steps[i], state, context);
    if (!reads_old_state())
      made.old_hidden.reset();
    if (!context.recording())
      made.weights.reset();
    steps.add(made);
  }
  RecurrentStep all = steps.packed(walk, fed.embedding);
  if (context.recording())
    record_weights(*attention_, all.weights, context);
  all.weights.reset();
  return all;
}

DecoderOutput RecurrentDecoder::words(const RecurrentStep& step, Context& context) const {
  DecisionState decision = step.decision;
  if (reads_old_state())
    decision.state = step.old_hidden;
  const at::Tensor hidden = at::tanh(readout_->forward(decision, context));  // [rows, embed]
  DecoderOutput output;
  output.hidden = dropout(hidden, options_.dropout, context).to(context.activation_type());
  output.output_weight = output_projection_->weight;
  output.output_bias = output_projection_->bias;
  return output;
}

void RecurrentDecoder::initialize(RecurrentInitializer& initializer) {
  initializer.matrix(embed_tokens_->weight);
  initializer.matrix(initial_state_->weight);
  initializer.constant(initial_state_->bias, 0.0);
  attention_->initialize(initializer);
  if (coverage_)
    coverage_->initialize(initializer);
  if (cell_)
    cell_->initialize(initializer);
  if (first_cell_) {
    first_cell_->initialize(initializer);
    second_cell_->initialize(initializer);
  }
  readout_->initialize(initializer);
  initializer.matrix(output_projection_->weight);
  initializer.constant(output_projection_->bias, 0.0);
}

double RecurrentDecoder::multiply_adds(double source_tokens, double target_tokens) const {
  double sum = attention_->multiply_adds(source_tokens, target_tokens) +
               readout_->multiply_adds(target_tokens) +
               target_tokens * static_cast<double>(output_projection_->weight.numel()) +
               static_cast<double>(initial_state_->weight.numel());
  if (coverage_)
    sum += coverage_->multiply_adds(source_tokens, target_tokens);
  if (cell_)
    return sum + cell_->multiply_adds(target_tokens);
  return sum + first_cell_->multiply_adds(target_tokens) +
         second_cell_->multiply_adds(target_tokens);
}

}  // namespace phraseq::nn
