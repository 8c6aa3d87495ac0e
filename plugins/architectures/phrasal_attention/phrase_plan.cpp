#include "plugins/architectures/phrasal_attention/phrase_plan.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace phraseq::phrasal {
namespace {

using nn::HeadGroup;
using nn::KeyKind;
using nn::QueryKind;
using nn::VectorLayout;

/// Heads that attend to the same n-grams.
struct Group {
  std::vector<int64_t> lengths;
  int64_t first_head, heads;
};

std::vector<Group> groups_of(const PhraseOptions& o) {
  if (o.type != PhraseType::kHomogeneous)
    return {{o.ngrams, 0, o.heads}};
  std::vector<Group> groups;
  int64_t first = 0, n = 0;
  for (const int64_t heads : o.ngrams) {
    ++n;
    if (heads > 0)
      groups.push_back({{n}, first, heads});
    first += heads;
  }
  return groups;
}

/// The name of a map. For n = 1, it is fairseq's name, so that these parameters are those of the
/// base Transformer.
std::string name_for(const char* map, int64_t n) {
  return n == 1 ? map : fmt::format("{}_{}", map, n);
}

double scale_for(const PhraseOptions& o, int64_t n) {
  auto divisor = static_cast<double>(o.model / o.heads);
  const auto window = static_cast<double>(n);
  if (o.method == PhraseMethod::kQueryK && o.scale == PhraseScale::kWidthTimesLength)
    divisor *= window;
  if (o.method == PhraseMethod::kQueryK && o.scale == PhraseScale::kWidthTimesSquare)
    divisor *= window * window;
  return 1.0 / std::sqrt(divisor);
}

VectorLayout convolution(int64_t column, int64_t window, int64_t out) {
  return {.column = column, .window = window, .window_step = out};
}

/// Fills the plan of one module: its maps, and the layout by which attention reads their products.
class Planner {
 public:
  Planner(const PhraseOptions& options, PhrasePlan& plan) : o_(options), plan_(plan) {}

  void run() {
    const std::vector<Group> groups = groups_of(o_);
    // Linear maps of the same kind are one map for all groups of heads.
    if (o_.type == PhraseType::kHomogeneous && o_.method == PhraseMethod::kQueryK)
      shared_key_ = add_key_value(map_of("k_proj", 1, o_.model, /*convolves=*/false));
    for (const Group& group : groups) add_keys(group);
    if (o_.one_input)
      query_base_ = key_columns_;
    if (o_.method == PhraseMethod::kConvKv)
      shared_query_ = add_query(map_of("q_proj", 1, o_.model, /*convolves=*/false));
    for (size_t i = 0; i < groups.size(); ++i) add_queries(groups[i], plan_.layout.groups[i]);
    plan_.layout.heads = o_.heads;
    plan_.layout.head_dim = head_dim();
    plan_.layout.key_kinds = static_cast<int64_t>(plan_.lengths.size());
    plan_.layout.query_kinds = o_.type == PhraseType::kInterleaved ? 2 : 1;
    place_results();
  }

 private:
  int64_t head_dim() const { return o_.model / o_.heads; }

  MapPlan map_of(const std::string& name, int64_t taps, int64_t out, bool convolves) const {
    return {name, taps * out, taps, convolves && taps > 1 && o_.conv_bias};
  }
  /// Adds a map; returns the first column of its products.
  int64_t add_key_value(const MapPlan& map) {
    plan_.key_value_maps.push_back(map);
    return std::exchange(key_columns_, key_columns_ + map.rows);
  }
  int64_t add_query(const MapPlan& map) {
    plan_.query_maps.push_back(map);
    return query_base_ + std::exchange(query_columns_, query_columns_ + map.rows);
  }

  void add_keys(const Group& group) {
    HeadGroup made{group.first_head, group.heads, {}, {}};
    const int64_t width = group.heads * head_dim();
    for (const int64_t n : group.lengths) {
      KeyKind kind;
      kind.index = static_cast<int64_t>(plan_.lengths.size());
      kind.first = o_.type == PhraseType::kHomogeneous ? 0 : n - 1;
      kind.scale = scale_for(o_, n);
      kind.key = key_layout(group, n, width);
      kind.value = convolution(
          add_key_value(map_of(name_for("v_proj", n), n, width, /*convolves=*/true)), n, width);
      made.keys.push_back(kind);
      plan_.lengths.push_back(n);
    }
    plan_.layout.groups.push_back(std::move(made));
  }

  /// CONVKV convolves (eq. 5); QUERYK joins the keys of the window's words (eq. 6).
  VectorLayout key_layout(const Group& group, int64_t n, int64_t width) {
    if (o_.method == PhraseMethod::kConvKv) {
      const int64_t column =
          add_key_value(map_of(name_for("k_proj", n), n, width, /*convolves=*/true));
      return convolution(column, n, width);
    }
    const int64_t column =
        shared_key_ >= 0
            ? shared_key_ + group.first_head * head_dim()
            : add_key_value(map_of(name_for("k_proj", n), 1, width, /*convolves=*/false));
    return {.column = column, .parts = n, .part_lag = 1};
  }

  void add_queries(const Group& group, HeadGroup& made) {
    made.queries.push_back(unigram_queries(group));
    if (o_.type == PhraseType::kInterleaved)
      made.queries.push_back(bigram_queries());
  }

  QueryKind unigram_queries(const Group& group) {
    if (o_.method == PhraseMethod::kConvKv)
      return {0, {{.column = shared_query_ + group.first_head * head_dim()}}, {}, 0};
    QueryKind kind;
    const int64_t width = group.heads * head_dim();
    for (const int64_t n : group.lengths) {
      const int64_t column =
          add_query(map_of(name_for("q_proj", n), n, width, /*convolves=*/false));
      kind.queries.push_back({.column = column, .parts = n, .part_step = width});
    }
    return kind;
  }

  /// The queries c_i, numbered by their last token; the first token has none.
  QueryKind bigram_queries() {
    QueryKind kind{1, {}, {}, 1};
    kind.queries.push_back(convolution(
        add_query(map_of("phrase_q_proj", 2, o_.model, /*convolves=*/true)), 2, o_.model));
    if (o_.method == PhraseMethod::kQueryK) {
      VectorLayout taps =
          convolution(add_query(map_of("phrase_q_proj_2", 2, 2 * o_.model, /*convolves=*/true)),
                      2,
                      2 * o_.model);
      taps.parts = 2;
      taps.part_step = o_.model;
      kind.queries.push_back(taps);
    }
    return kind;
  }

  /// Sets the destinations of the results. With interleaving, a token's row is c_i, u_i and, in the
  /// encoder, c_{i+1}: each phrase is also written one row earlier, unless it must first pass
  /// through an output map.
  void place_results() {
    plan_.layout.out_columns = o_.model;
    if (o_.type != PhraseType::kInterleaved) {
      for (HeadGroup& group : plan_.layout.groups)
        group.queries[0].out.column = group.first_head * head_dim();
      return;
    }
    auto& kinds = plan_.layout.groups[0].queries;
    const bool next = o_.sees_next_phrase && !o_.after_o;
    plan_.layout.out_columns = (next ? 3 : 2) * o_.model;
    kinds[0].out.column = o_.model;
    if (next)
      kinds[1].out = {.column = 2 * o_.model, .window = 2, .window_step = -2 * o_.model};
  }

  const PhraseOptions& o_;
  PhrasePlan& plan_;
  int64_t key_columns_ = 0, query_columns_ = 0, query_base_ = 0;
  int64_t shared_key_ = -1, shared_query_ = -1;
};

}  // namespace

PhraseOptions PhraseOptions::of(const PhrasalAttentionOptions& o, Place place) {
  PhraseOptions made;
  const bool encoder = place == Place::kEncoderSelf;
  made.model = encoder ? o.encoder_embed_dim : o.decoder_embed_dim;
  made.key_model = place == Place::kCross ? o.encoder_embed_dim : made.model;
  made.heads = encoder ? o.encoder_attention_heads : o.decoder_attention_heads;
  made.dropout = o.attention_dropout;
  made.one_input = place != Place::kCross;
  made.ngrams = {made.heads};
  if (!o.applies_to(place))
    return made;
  made.type = o.pa_type;
  made.method = o.pa_method;
  made.ngrams = o.ngrams_for(encoder ? Stack::kEncoder : Stack::kDecoder);
  made.scale = o.pa_scale;
  made.conv_bias = o.pa_conv_bias;
  made.after_o = o.pa_out == ConvolutionPlace::kAfterOutput;
  made.sees_next_phrase = encoder;
  return made;
}

PhrasePlan::PhrasePlan(const PhraseOptions& options) { Planner(options, *this).run(); }

}  // namespace phraseq::phrasal
