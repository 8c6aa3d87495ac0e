#include "plugins/architectures/phrasal_attention/options.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "plugins/architectures/phrasal_attention/ngrams.h"

namespace phraseq::phrasal {
namespace {

using Problems = std::vector<std::string>;

void check_split(const PhrasalAttentionOptions& o,
                 const char* stack,
                 int64_t heads,
                 Problems& found) {
  const std::vector<int64_t> split = o.ngrams_for(heads);
  const int64_t sum = std::accumulate(split.begin(), split.end(), int64_t{0});
  if (sum == heads)
    return;
  found.push_back(
      o.pa_ngrams.empty()
          ? fmt::format("--pa-ngrams has to be given: {} {} heads have no halves", heads, stack)
          : fmt::format("--pa-ngrams {} gives {} heads, but --{}-attention-heads is {}",
                        o.pa_ngrams,
                        sum,
                        stack,
                        heads));
}

void check_lengths(const PhrasalAttentionOptions& o, Problems& found) {
  const std::vector<int64_t> lengths = o.ngrams_for(0);
  if (lengths.front() < 1)
    found.push_back(fmt::format("--pa-ngrams {} has an n-gram of length 0", o.pa_ngrams));
  if (std::adjacent_find(lengths.begin(), lengths.end()) != lengths.end())
    found.push_back(fmt::format("--pa-ngrams {} names an n-gram length twice", o.pa_ngrams));
  if (o.pa_type == "interleaved" && lengths != std::vector<int64_t>{1, 2})
    found.push_back(fmt::format("--pa-type interleaved is defined for --pa-ngrams 12 only, not {}",
                                o.pa_ngrams));
}

void check_ngrams(const PhrasalAttentionOptions& o, Problems& found) {
  try {
    if (!o.pa_ngrams.empty())
      parse_ngrams(o.pa_ngrams);
  } catch (const UsageError& error) {
    found.push_back(error.message());
    return;
  }
  if (o.pa_type != "homogeneous")
    return check_lengths(o, found);
  if (o.applies_to("enc"))
    check_split(o, "encoder", o.encoder_attention_heads, found);
  const bool decoder = o.applies_to("dec") || o.applies_to("cross");
  if (decoder && !(o.applies_to("enc") && o.encoder_attention_heads == o.decoder_attention_heads))
    check_split(o, "decoder", o.decoder_attention_heads, found);
}

void check_places(const PhrasalAttentionOptions& o, Problems& found) {
  for (auto place = o.pa_where.begin(); place != o.pa_where.end(); ++place) {
    if (*place != "enc" && *place != "dec" && *place != "cross")
      found.push_back(fmt::format("--pa-where: '{}' is not one of enc, dec, cross", *place));
    if (std::find(o.pa_where.begin(), place, *place) != place)
      found.push_back(fmt::format("--pa-where names '{}' twice", *place));
  }
}

}  // namespace

PhrasalAttentionOptions::PhrasalAttentionOptions() {
  nn::use_tensor2tensor_conventions(*this);
  set_dropout(0.1, 0.1, 0.1);
}

void PhrasalAttentionOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  table.field("pa-type", pa_type, "How heads share n-grams (see the architecture's guide).")
      .one_of({"homogeneous", "heterogeneous", "interleaved"});
  table
      .field(
          "pa-method",
          pa_method,
          "What meets in a score: a query and a convolved key (convkv), or a query for each word "
          "of the window and its key (queryk).")
      .one_of({"convkv", "queryk"});
  table
      .field(
          "pa-ngrams",
          pa_ngrams,
          "homogeneous: the k-th digit is the number of heads with n = k (44, 323, 08; 10,6 from "
          "10 up), by default half and half of n = 1 and 2; else the lengths, by default 12.")
      .value_name("N");
  table.field("pa-where", pa_where, "Which attention is phrasal: any of enc, dec, cross.");
  table
      .field("pa-out",
             pa_out,
             "Interleaving's convolution stands in place of the output map or after two of them.")
      .one_of({"replace-o", "after-o"});
  table
      .field(
          "pa-scale",
          pa_scale,
          "queryk divides scores by the root of: head width times n, times n squared, head width.")
      .one_of({"dhn", "dhn2", "dh"});
  table.field("pa-conv-bias", pa_conv_bias, "Biases in the convolutions over two and more words.");
}

std::vector<std::string> PhrasalAttentionOptions::problems() const {
  Problems found = TransformerOptions::problems();
  if (attn_bias)
    found.push_back("--attn-bias is not defined for phrasal attention: leave it off");
  check_places(*this, found);
  check_ngrams(*this, found);
  if (pa_type != "interleaved" && pa_out != "replace-o")
    found.push_back(fmt::format("--pa-out {} needs --pa-type interleaved", pa_out));
  if (pa_method != "queryk" && pa_scale != "dhn")
    found.push_back(fmt::format("--pa-scale {} needs --pa-method queryk", pa_scale));
  return found;
}

std::vector<int64_t> PhrasalAttentionOptions::ngrams_for(int64_t heads) const {
  const bool split = pa_type == "homogeneous";
  if (pa_ngrams.empty())
    return split ? std::vector<int64_t>{heads / 2, heads / 2} : std::vector<int64_t>{1, 2};
  std::vector<int64_t> numbers = parse_ngrams(pa_ngrams);
  if (!split)
    std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool PhrasalAttentionOptions::applies_to(const std::string& place) const {
  return std::find(pa_where.begin(), pa_where.end(), place) != pa_where.end();
}

}  // namespace phraseq::phrasal
