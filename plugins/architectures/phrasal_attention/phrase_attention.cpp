#include "plugins/architectures/phrasal_attention/phrase_attention.h"

#include <ATen/ops/full.h>

#include "core/nn/recording.h"
#include "plugins/architectures/phrasal_attention/alignment.h"

namespace phraseq::phrasal {
namespace {

struct GrowingPhrases final : nn::AttentionState {
  RecentProducts recent;
  nn::SelfAttentionCache past;  ///< windows summed
};

struct SourcePhrases final : nn::AttentionState {
  at::Tensor keys_values;  ///< [source tokens, summed columns]: windows are summed
  RecentProducts recent;   ///< of the queries
};

}  // namespace

PhraseSelfAttention::PhraseSelfAttention(const PhraseOptions& options)
    : options_(options),
      plan_(options),
      summed_(plan_.layout),
      maps_(*this, plan_, options),
      output_(*this, options) {}

at::Tensor PhraseSelfAttention::forward(const at::Tensor& x,
                                        const PackedTokens& tokens,
                                        bool causal,
                                        nn::Context& context) const {
  const at::Tensor products = maps_.all(x, context);  // [tokens, columns]
  at::Tensor weights;  // [query kinds, heads, tokens, key kinds, longest]
  const at::Tensor heads = nn::grouped_attention(products,
                                                 products,
                                                 {tokens.offsets, tokens.offsets},
                                                 plan_.layout,
                                                 causal,
                                                 options_.dropout,
                                                 context,
                                                 context.recording() ? &weights : nullptr);
  if (context.recording())
    context.recording()->add(*this, "weights", weights, {{"key_ngrams", plan_.lengths}});
  return output_.forward(heads, context);
}

std::unique_ptr<nn::AttentionState> PhraseSelfAttention::start() const {
  return std::make_unique<GrowingPhrases>();
}

at::Tensor PhraseSelfAttention::step(const at::Tensor& x,
                                     nn::AttentionState& state,
                                     const nn::DecodingRows& rows,
                                     nn::Context& context) const {
  auto& phrases = dynamic_cast<GrowingPhrases&>(state);
  const at::Tensor products = maps_.all(x, context);  // [rows, columns]
  const int64_t reach = summed_.longest_window() - 1;
  const auto earlier = phrases.recent.earlier(rows.ancestry, reach);
  const at::Tensor keys_values =
      phrases.past.open_step(x.size(0), summed_.keys_values.columns, products.options());
  sum_windows(products, earlier, summed_.keys_values, keys_values);
  const at::Tensor queries = queries_of(products, earlier, summed_);
  phrases.recent.append(products, reach);
  const auto& layout = summed_.at(rows.ancestry.steps() == 1);
  return output_.forward(phrases.past.attend(queries, rows.ancestry, layout), context);
}

void PhraseSelfAttention::initialize(nn::Initializer& initializer) {
  maps_.initialize(initializer);
  output_.initialize(initializer);
}

double PhraseSelfAttention::multiply_adds(double tokens) const {
  const auto columns = static_cast<double>(maps_.key_value_columns() + maps_.query_columns());
  return tokens * columns * static_cast<double>(options_.model) + output_.multiply_adds(tokens);
}

PhraseCrossAttention::PhraseCrossAttention(const PhraseOptions& options)
    : options_(options),
      plan_(options),
      summed_(plan_.layout),
      maps_(*this, plan_, options),
      output_(*this, options) {}

at::Tensor PhraseCrossAttention::forward(const at::Tensor& x,
                                         const PackedTokens& queries,
                                         const at::Tensor& memory,
                                         const PackedTokens& keys,
                                         nn::Context& context,
                                         at::Tensor* weights) const {
  const bool wanted = weights || context.recording();
  at::Tensor all_weights;  // [query kinds, heads, query tokens, key kinds, longest]
  const at::Tensor heads = nn::grouped_attention(maps_.queries(x, context),
                                                 maps_.keys_values(memory, context),
                                                 {queries.offsets, keys.offsets},
                                                 plan_.layout,
                                                 /*causal=*/false,
                                                 options_.dropout,
                                                 context,
                                                 wanted ? &all_weights : nullptr);
  if (context.recording())
    context.recording()->add(*this, "weights", all_weights, {{"key_ngrams", plan_.lengths}});
  if (weights)
    *weights = align_to_tokens(all_weights, plan_.lengths, queries.positions.eq(0));
  return output_.forward(heads, context);
}

std::unique_ptr<nn::AttentionState> PhraseCrossAttention::start(const at::Tensor& memory,
                                                                const PackedTokens& keys,
                                                                nn::Context& context) const {
  auto state = std::make_unique<SourcePhrases>();
  state->keys_values = sum_windows(maps_.keys_values(memory, context), keys, summed_.keys_values);
  return state;
}

at::Tensor PhraseCrossAttention::step(const at::Tensor& x,
                                      nn::AttentionState& state,
                                      const nn::DecodingRows& rows,
                                      nn::Context& context,
                                      at::Tensor* weights) const {
  auto& phrases = dynamic_cast<SourcePhrases&>(state);
  const bool first = rows.ancestry.steps() == 1;
  const at::Tensor products = maps_.queries(x, context);  // [rows, columns]
  const int64_t reach = summed_.queries.longest_window - 1;
  const auto earlier = phrases.recent.earlier(rows.ancestry, reach);
  phrases.recent.append(products, reach);
  at::Tensor all_weights;  // [query kinds, heads, rows, key kinds, longest]
  const at::Tensor heads = nn::decode_cross_attention(queries_of(products, earlier, summed_),
                                                      phrases.keys_values,
                                                      rows.source_offsets,
                                                      rows.sentence_of_row,
                                                      summed_.at(first),
                                                      weights ? &all_weights : nullptr);
  if (weights) {
    *weights = align_to_tokens(
        all_weights, plan_.lengths, at::full({x.size(0)}, first, x.options().dtype(at::kBool)));
  }
  return output_.forward(heads, context);
}

void PhraseCrossAttention::initialize(nn::Initializer& initializer) {
  maps_.initialize(initializer);
  output_.initialize(initializer);
}

double PhraseCrossAttention::multiply_adds(double queries, double keys) const {
  return queries * static_cast<double>(maps_.query_columns() * options_.model) +
         keys * static_cast<double>(maps_.key_value_columns() * options_.key_model) +
         output_.multiply_adds(queries);
}

}  // namespace phraseq::phrasal
