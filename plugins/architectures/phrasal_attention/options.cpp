#include "plugins/architectures/phrasal_attention/options.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/nn/kernels/vector_layout.h"
#include "core/options/enum_name.h"
#include "core/options/unused_values.h"

namespace phraseq::phrasal {
namespace {

using Problems = std::vector<std::string>;

const char* name_of(Stack stack) { return stack == Stack::kEncoder ? "encoder" : "decoder"; }

void check_split(const PhrasalAttentionOptions& o, Stack stack, Problems& found) {
  const std::vector<int64_t> split = o.ngrams_for(stack);
  const int64_t heads = o.heads_of(stack);
  const int64_t sum = std::accumulate(split.begin(), split.end(), int64_t{0});
  if (std::ssize(split) > kLongestNgram) {
    found.push_back(fmt::format("--pa-ngrams {}: n-grams have at most {} words, not {}",
                                o.pa_ngrams,
                                kLongestNgram,
                                split.size()));
  }
  if (sum == heads)
    return;
  found.push_back(
      o.pa_ngrams.empty()
          ? fmt::format("--pa-ngrams is required: {} {} heads cannot be split into halves",
                        heads,
                        name_of(stack))
          : fmt::format("--pa-ngrams {} gives {} heads, but --{}-attention-heads is {} "
                        "(ENCODER/DECODER, such as 44/22, sets different values)",
                        o.pa_ngrams,
                        sum,
                        name_of(stack),
                        heads));
}

void check_lengths(const PhrasalAttentionOptions& o, Stack stack, Problems& found) {
  const std::vector<int64_t> lengths = o.ngrams_for(stack);
  if (lengths.front() < 1)
    found.push_back(fmt::format("--pa-ngrams {} contains an n-gram of length 0", o.pa_ngrams));
  if (lengths.back() > kLongestNgram) {
    found.push_back(fmt::format("--pa-ngrams {}: n-grams have at most {} words, not {}",
                                o.pa_ngrams,
                                kLongestNgram,
                                lengths.back()));
  }
  if (std::ssize(lengths) > nn::kMaxKeyKinds) {
    found.push_back(fmt::format("--pa-ngrams {}: at most {} lengths are supported, not {}",
                                o.pa_ngrams,
                                nn::kMaxKeyKinds,
                                lengths.size()));
  }
  if (std::adjacent_find(lengths.begin(), lengths.end()) != lengths.end())
    found.push_back(fmt::format("--pa-ngrams {} contains an n-gram length twice", o.pa_ngrams));
  if (o.pa_type == PhraseType::kInterleaved && lengths != std::vector<int64_t>{1, 2})
    found.push_back(
        fmt::format("--pa-type interleaved supports only --pa-ngrams 12, not {}", o.pa_ngrams));
}

bool is_phrasal(const PhrasalAttentionOptions& o, Stack stack) {
  return stack == Stack::kEncoder
             ? o.applies_to(Place::kEncoderSelf)
             : o.applies_to(Place::kDecoderSelf) || o.applies_to(Place::kCross);
}

Problems ngram_problems(const PhrasalAttentionOptions& o, Stack stack) {
  Problems found;
  try {
    if (o.pa_type == PhraseType::kHomogeneous) {
      check_split(o, stack, found);
    } else {
      check_lengths(o, stack, found);
    }
  } catch (const UsageError& error) {
    found.push_back(error.message());
  }
  return found;
}

/// Checks the n-grams of both stacks; problems that both share are reported once.
void check_ngrams(const PhrasalAttentionOptions& o, Problems& found) {
  if (std::ranges::count(o.pa_ngrams, '/') > 1) {
    found.push_back(
        fmt::format("--pa-ngrams '{}': expected at most two parts, ENCODER/DECODER", o.pa_ngrams));
    return;
  }
  const bool same =
      ngrams_part(o.pa_ngrams, Stack::kEncoder) == ngrams_part(o.pa_ngrams, Stack::kDecoder) &&
      o.encoder_attention_heads == o.decoder_attention_heads;
  for (const Stack stack : {Stack::kEncoder, Stack::kDecoder}) {
    if (stack == Stack::kDecoder && same && is_phrasal(o, Stack::kEncoder))
      continue;
    if (!is_phrasal(o, stack))
      continue;
    for (std::string& problem : ngram_problems(o, stack)) {
      if (std::find(found.begin(), found.end(), problem) == found.end())
        found.push_back(std::move(problem));
    }
  }
}

bool has_phrases(const PhrasalAttentionOptions& o, Stack stack) {
  const int64_t layers = stack == Stack::kEncoder ? o.encoder_layers : o.decoder_layers;
  if (!is_phrasal(o, stack) || layers == 0)
    return false;
  const std::vector<int64_t> ngrams = o.ngrams_for(stack);
  if (o.pa_type != PhraseType::kHomogeneous)
    return ngrams.back() > 1;
  return std::any_of(ngrams.begin() + 1, ngrams.end(), [](int64_t heads) { return heads > 0; });
}

bool has_phrases(const PhrasalAttentionOptions& o) {
  return has_phrases(o, Stack::kEncoder) || has_phrases(o, Stack::kDecoder);
}

void check_biases(const PhrasalAttentionOptions& o, Problems& found) {
  if (o.pa_conv_bias && !has_phrases(o)) {
    found.emplace_back(
        "--pa-conv-bias has nothing to add to: no n-gram of --pa-ngrams has two words or more");
  }
}

void check_places(const PhrasalAttentionOptions& o, Problems& found) {
  if (o.pa_where.empty()) {
    found.emplace_back(
        "--pa-where names no attention: one or more of enc, dec, cross are expected (a model "
        "without phrases is --arch transformer)");
  }
  for (auto place = o.pa_where.begin(); place != o.pa_where.end(); ++place) {
    const bool is_known = std::any_of(std::begin(kPlaceNames),
                                      std::end(kPlaceNames),
                                      [&](const auto& known) { return known.name == *place; });
    if (!is_known)
      found.push_back(fmt::format("--pa-where: '{}' is not one of enc, dec, cross", *place));
    if (std::find(o.pa_where.begin(), place, *place) != place)
      found.push_back(fmt::format("--pa-where contains '{}' twice", *place));
  }
}

/// Which attention is phrasal, its score, and the n-gram lengths of its heads.
void describe_phrases(OptionTable& table, PhrasalAttentionOptions& o) {
  table.field("pa-type",
              o.pa_type,
              kPhraseTypeNames,
              "How n-gram lengths are assigned to heads. homogeneous: each head has one length; "
              "heterogeneous: each head has several, under one softmax; interleaved: like "
              "heterogeneous, and bigrams are queries, too.");
  table.field("pa-method",
              o.pa_method,
              kPhraseMethodNames,
              "Phrasal attention score. convkv: query times convolved key; queryk: one convolved "
              "query for each word of the window times its key.");
  table
      .field("pa-ngrams",
             o.pa_ngrams,
             "homogeneous: the k-th digit is the number of heads with n = k (44, 323, 08; with "
             "commas from 10 heads on: 10,6); default: half of the heads with n = 1, half with n = "
             "2. heterogeneous: up to 16 lengths, 1 to 100 (12, 123; with commas from 10 words on: "
             "1,10); default: 12. interleaved: 12. ENCODER/DECODER (44/22) sets different values "
             "for encoder and decoder.")
      .value_name("N");
  table.field("pa-where", o.pa_where, "Which attention is phrasal: one or more of enc, dec, cross.")
      .one_of({"enc", "dec", "cross"})
      .value_name("PLACE,...");
}

/// The variants of the scale and of the convolutions.
void describe_variants(OptionTable& table, PhrasalAttentionOptions& o) {
  table.field("pa-out",
              o.pa_out,
              kConvolutionPlaceNames,
              "Position of the convolution of interleaved attention: instead of the output "
              "projection, or after it.");
  table.field(
      "pa-scale",
      o.pa_scale,
      kPhraseScaleNames,
      "Scale of queryk scores, 1/sqrt of: dhn = head width * n, dhn2 = head width * n^2, dh "
      "= head width.");
  table.field("pa-conv-bias",
              o.pa_conv_bias,
              "Use biases in the convolutions over two or more words, including that of "
              "interleaved attention.");
}

}  // namespace

PhrasalAttentionOptions::PhrasalAttentionOptions() {
  nn::use_tensor2tensor_conventions(*this);
  set_dropout(0.1, 0.1, 0.1);
}

void PhrasalAttentionOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  table.find("attn-bias")->help = "Not supported by phrasal_attention.";
  describe_phrases(table, *this);
  describe_variants(table, *this);
}

std::vector<std::string> PhrasalAttentionOptions::problems() const {
  Problems found = TransformerOptions::problems();
  if (attn_bias)
    found.push_back("--attn-bias is not supported by phrasal_attention");
  check_places(*this, found);
  Problems about_ngrams;
  check_ngrams(*this, about_ngrams);
  if (about_ngrams.empty())
    check_biases(*this, about_ngrams);
  found.insert(found.end(), about_ngrams.begin(), about_ngrams.end());
  if (pa_type != PhraseType::kInterleaved && pa_out != ConvolutionPlace::kReplaceOutput)
    found.push_back(fmt::format("--pa-out {} needs --pa-type interleaved",
                                enum_name(kConvolutionPlaceNames, pa_out)));
  if (pa_method != PhraseMethod::kQueryK && pa_scale != PhraseScale::kWidthTimesLength)
    found.push_back(fmt::format("--pa-scale {} needs --pa-method queryk",
                                enum_name(kPhraseScaleNames, pa_scale)));
  return found;
}

std::vector<std::string> PhrasalAttentionOptions::without_effect() const {
  UnusedValues unused;
  const bool is_plain_preset =
      pa_type == PhraseType::kHomogeneous && pa_method == PhraseMethod::kConvKv;
  if (!has_phrases(*this) && !is_plain_preset) {
    unused.sentences.emplace_back(
        "no attention has n-grams of two words or more: the model is the plain Transformer (see "
        "--pa-ngrams and --pa-where)");
  }
  const bool has_parts = pa_ngrams.find('/') != std::string::npos;
  for (const Stack stack : {Stack::kEncoder, Stack::kDecoder}) {
    unused.check(is_phrasal(*this, stack),
                 !has_parts,
                 fmt::format("the {}'s part of --pa-ngrams {}", name_of(stack), pa_ngrams),
                 fmt::format("with --pa-where {}", fmt::join(pa_where, ",")));
  }
  return unused.sentences;
}

int64_t PhrasalAttentionOptions::heads_of(Stack stack) const {
  return stack == Stack::kEncoder ? encoder_attention_heads : decoder_attention_heads;
}

std::vector<int64_t> PhrasalAttentionOptions::ngrams_for(Stack stack) const {
  const bool split = pa_type == PhraseType::kHomogeneous;
  const int64_t half = heads_of(stack) / 2;
  if (pa_ngrams.empty())
    return split ? std::vector<int64_t>{half, half} : std::vector<int64_t>{1, 2};
  std::vector<int64_t> numbers = parse_ngrams(ngrams_part(pa_ngrams, stack));
  if (!split)
    std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool PhrasalAttentionOptions::applies_to(Place place) const {
  const std::string_view name = enum_name(kPlaceNames, place);
  return std::find(pa_where.begin(), pa_where.end(), name) != pa_where.end();
}

}  // namespace phraseq::phrasal
