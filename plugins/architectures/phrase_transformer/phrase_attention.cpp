#include "plugins/architectures/phrase_transformer/phrase_attention.h"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

#include "core/nn/functional/attention_weights.h"
#include "core/nn/recording.h"

namespace phraseq::phrase_transformer {
namespace {

int64_t head_dim_of(const PhraseTransformerOptions& o) {
  return o.encoder_embed_dim / o.encoder_attention_heads;
}

NgramLstmOptions lstm_options(const PhraseTransformerOptions& o, int64_t gram, int64_t width) {
  return {.gram = gram,
          .width = width,
          .dropout = o.pt_dropout,
          .window_dropout = o.pt_dropout_scope == GramDropoutScope::kWindow,
          .add_hidden = o.pt_state != GramState::kCell,
          .add_cell = o.pt_state != GramState::kHidden};
}

/// The columns of keys, values and queries of x's maps, each [tokens, heads, head_dim].
struct KeysValuesQueries {
  at::Tensor k, v, q;

  KeysValuesQueries(const at::Tensor& kvq, int64_t heads, double query_factor) {
    const auto parts = kvq.unflatten(1, {3, heads, -1})  // [tokens, 3, heads, head_dim]
                           .unbind(1);                   // [tokens, heads, head_dim] each
    k = parts[0];
    v = parts[1];
    q = query_factor == 1.0 ? parts[2] : parts[2] * query_factor;
  }
};

}  // namespace

PhraseAttention::PhraseAttention(const PhraseTransformerOptions& o, int64_t width)
    : maps_(*this, nn::MultiheadAttentionOptions::encoder_self(o)),
      scale_scores_(o.pt_scale == GramScale::kAll) {
  auto ngram = register_module("ngram", std::make_shared<torch::nn::Module>());
  for (const int64_t gram : o.gram_sizes()) {
    lstms_.push_back(ngram->register_module(
        std::to_string(gram), std::make_shared<NgramLstm>(lstm_options(o, gram, width))));
  }
}

void PhraseAttention::initialize(nn::Initializer& initializer) {
  maps_.initialize(initializer);
  for (const auto& lstm : lstms_) lstm->initialize(initializer);
}

SharedPhraseAttention::SharedPhraseAttention(const PhraseTransformerOptions& options)
    : PhraseAttention(options, 2 * head_dim_of(options)), keep_raw_(options.keeps_raw()) {}

at::Tensor SharedPhraseAttention::forward(const at::Tensor& x,
                                          const PackedTokens& tokens,
                                          bool causal,
                                          nn::Context& context) const {
  const int64_t heads = maps_.options.heads;
  const KeysValuesQueries words(maps_.keys_values_queries(x, context), heads, query_factor());
  const at::Tensor zipped = at::cat({words.q, words.k}, 2);  // [tokens, heads, 2 · head_dim]
  std::vector<at::Tensor> columns;                           // [tokens, heads, head_dim] each
  if (keep_raw_)
    columns = {words.q, words.k};
  for (const auto& lstm : lstms_) {
    const at::Tensor phrases =
        lstm->forward(zipped.flatten(0, 1), tokens, context);  // [tokens · heads, 2 · head_dim]
    for (const at::Tensor& half : phrases.view_as(zipped).chunk(2, 2))  // [tokens, heads, head_dim]
      columns.push_back(half);
  }
  columns.push_back(words.v);
  const at::Tensor rows = at::stack(columns, 1).flatten(1);  // [tokens, (2 · parts + 1) · model]
  at::Tensor weights;                                        // [1, heads, tokens, 1, longest]
  const at::Tensor mixed = nn::grouped_attention(rows,
                                                 rows,
                                                 {tokens.offsets, tokens.offsets},
                                                 layout(),
                                                 causal,
                                                 maps_.options.dropout,
                                                 context,
                                                 context.recording() ? &weights : nullptr);
  if (context.recording())
    context.recording()->add(*this, "weights", weights);
  return maps_.out_proj->forward(mixed, context);
}

nn::AttentionLayout SharedPhraseAttention::layout() const {
  const int64_t model = maps_.options.model;
  const int64_t parts = static_cast<int64_t>(lstms_.size()) + (keep_raw_ ? 1 : 0);
  const nn::VectorLayout query{.column = 0, .parts = parts, .part_step = 2 * model};
  const nn::VectorLayout key{.column = model, .parts = parts, .part_step = 2 * model};
  const nn::VectorLayout value{.column = parts * 2 * model};
  nn::HeadGroup all{.heads = maps_.options.heads,
                    .keys = {{.key = key, .value = value, .scale = score_factor()}},
                    .queries = {{.queries = {query}, .out = {}}}};
  return {.heads = maps_.options.heads,
          .head_dim = head_dim(),
          .out_columns = model,
          .groups = {std::move(all)}};
}

double SharedPhraseAttention::multiply_adds(double tokens) const {
  double sum = maps_.multiply_adds(tokens, tokens);
  for (const auto& lstm : lstms_)
    sum += lstm->multiply_adds(tokens * static_cast<double>(maps_.options.heads));
  return sum;
}

PerHeadPhraseAttention::PerHeadPhraseAttention(const PhraseTransformerOptions& options)
    : PhraseAttention(options, head_dim_of(options)), sizes_(options.sizes_of_heads()) {}

void PerHeadPhraseAttention::replace_by_phrases(std::vector<at::Tensor>& of_head,
                                                const NgramLstm& lstm,
                                                const PackedTokens& tokens,
                                                nn::Context& context) const {
  std::vector<at::Tensor*> own;
  std::vector<at::Tensor> own_words;
  for (size_t head = 0; head < of_head.size(); ++head) {
    if (sizes_[head] == lstm.gram()) {
      own.push_back(&of_head[head]);
      own_words.push_back(of_head[head]);
    }
  }
  const at::Tensor words = at::cat(own_words, 1);  // [tokens, 3 · own heads, head_dim]
  const at::Tensor phrases =                       // [tokens, 3 · own heads, head_dim]
      lstm.forward(words.flatten(0, 1), tokens, context).view_as(words);
  int64_t first = 0;
  for (at::Tensor* const of_own : own) {
    *of_own = phrases.narrow(1, first, 3);  // [tokens, 3, head_dim]
    first += 3;
  }
}

at::Tensor PerHeadPhraseAttention::forward(const at::Tensor& x,
                                           const PackedTokens& tokens,
                                           bool causal,
                                           nn::Context& context) const {
  const int64_t heads = maps_.options.heads;
  const KeysValuesQueries words(maps_.keys_values_queries(x, context), heads, query_factor());
  const at::Tensor all = at::stack({words.k, words.v, words.q}, 1);  // [tokens, 3, heads, head_dim]
  std::vector<at::Tensor> of_head = all.unbind(2);                   // [tokens, 3, head_dim] each
  for (const auto& lstm : lstms_) replace_by_phrases(of_head, *lstm, tokens, context);
  const at::Tensor kvq = at::stack(of_head, 2).flatten(1);  // [tokens, 3 · model]
  const nn::AttentionOptions attention{heads, score_factor(), maps_.options.dropout, causal};
  if (context.recording()) {
    const auto parts = kvq.chunk(3, 1);  // keys, values, queries: [tokens, model] each
    context.recording()->add(
        *this, "weights", nn::attention_weights(parts[2], parts[0], tokens, tokens, attention));
  }
  return maps_.out_proj->forward(nn::self_attention(kvq, tokens, attention, context), context);
}

double PerHeadPhraseAttention::multiply_adds(double tokens) const {
  double sum = maps_.multiply_adds(tokens, tokens);
  for (const auto& lstm : lstms_) {
    const auto heads = std::count(sizes_.begin(), sizes_.end(), lstm->gram());
    sum += lstm->multiply_adds(tokens * static_cast<double>(3 * heads));
  }
  return sum;
}

}  // namespace phraseq::phrase_transformer
