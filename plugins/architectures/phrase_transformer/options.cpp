#include "plugins/architectures/phrase_transformer/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/text_fields.h"

namespace phraseq::phrase_transformer {
namespace {

/// The longest n-gram that a layer may read.
constexpr int64_t kLongestGram = 100;

void check_grams(const PhraseTransformerOptions& o, std::vector<std::string>& found) {
  for (const int64_t size : o.pt_grams) {
    if (size < 0 || size > kLongestGram) {
      found.push_back(fmt::format(
          "--pt-grams: {} is not an n-gram size; expected 0 to {}", size, kLongestGram));
    }
  }
}

void check_layers(const PhraseTransformerOptions& o, std::vector<std::string>& found) {
  if (o.pt_layers == "all")
    return;
  const auto layers = number_in<int64_t>(o.pt_layers);
  if (!layers) {
    found.push_back(fmt::format("--pt-layers '{}' is neither 'all' nor an integer", o.pt_layers));
  } else if (o.encoder_layers == 0) {
    found.push_back("--pt-layers " + o.pt_layers +
                    " needs an encoder with layers, but "
                    "--encoder-layers is 0");
  } else if (*layers > o.encoder_layers || *layers < -o.encoder_layers) {
    found.push_back(
        fmt::format("--pt-layers {} is out of range: expected -{} to {}, as "
                    "--encoder-layers is {}",
                    o.pt_layers,
                    o.encoder_layers,
                    o.encoder_layers,
                    o.encoder_layers));
  }
}

void describe_grams(OptionTable& table, PhraseTransformerOptions& o) {
  table
      .field(
          "pt-grams",
          o.pt_grams,
          "N-gram sizes. cross: a set, every head uses every size; 0 = single words. sep: one size "
          "per head; 0 = a head without phrases.")
      .in(0, kLongestGram)
      .value_name("N,N,…");
  table.field(
      "pt-mode",
      o.pt_mode,
      kGramModeNames,
      "cross: one LSTM per n-gram size reads the queries and keys of all heads. sep: each head "
      "has one n-gram size, and an LSTM reads its queries, keys and values separately.");
  table
      .field("pt-layers",
             o.pt_layers,
             "Encoder layers with phrases: all, P for the first P, -P for the last P; P up to "
             "--encoder-layers.")
      .value_name("P");
  table.field("pt-raw",
              o.pt_raw,
              "Keep the queries and keys of words in addition to those of phrases (cross).");
  table.field(
      "pt-scale",
      o.pt_scale,
      kGramScaleNames,
      "What to scale by 1/sqrt(head width). word: the queries of words, before the LSTM reads "
      "them; all: the attention scores.");
}

/// Describes the LSTMs: their results, the heads that use them, and their dropout.
void describe_lstm(OptionTable& table, PhraseTransformerOptions& o) {
  table.field("pt-state",
              o.pt_state,
              kGramStateNames,
              "Representation of an n-gram: the last hidden state of the LSTM, its cell state, or "
              "their sum.");
  table.field(
      "pt-head-order",
      o.pt_head_order,
      kGramHeadOrderNames,
      "Assignment of sizes to heads (sep): in the order of --pt-grams, or in ascending order.");
  table.field("pt-dropout", o.pt_dropout, "Dropout probability on the input of the LSTM.")
      .in(0.0, 0.99);
  table.field(
      "pt-dropout-scope",
      o.pt_dropout_scope,
      kGramDropoutScopeNames,
      "window: one dropout mask for each position of each window; position: one mask for each "
      "token, so that all windows can share the input projections.");
}

}  // namespace

PhraseTransformerOptions::PhraseTransformerOptions() {
  nn::use_fairseq_conventions(*this);
  share_all_embeddings = true;
  set_sizes(512, 1024, 4, 6);
  set_dropout(0.3, 0.1, 0.1);
}

void PhraseTransformerOptions::describe(OptionTable& table) {
  TransformerOptions::describe(table);
  describe_grams(table, *this);
  describe_lstm(table, *this);
}

std::vector<std::string> PhraseTransformerOptions::problems() const {
  std::vector<std::string> found = TransformerOptions::problems();
  check_grams(*this, found);
  check_layers(*this, found);
  const auto heads = static_cast<size_t>(encoder_attention_heads);
  if (per_head() && pt_grams.size() != heads) {
    found.push_back(
        fmt::format("--pt-mode sep needs one n-gram size per head: --pt-grams has {} for {} heads",
                    pt_grams.size(),
                    heads));
  }
  if (per_head() && !pt_raw) {
    found.push_back(
        "--pt-raw requires --pt-mode cross; with sep, phrases always replace the words of their "
        "head");
  }
  if (!per_head() && pt_head_order != GramHeadOrder::kPosition)
    found.push_back(
        "--pt-head-order requires --pt-mode sep; with cross every head uses every size");
  if (!per_head() && gram_sizes().empty() && !keeps_raw()) {
    found.push_back(
        "without an n-gram size in --pt-grams and with --pt-raw no there is nothing to attend to; "
        "give a size, or 0 for single words");
  }
  return found;
}

std::vector<std::string> PhraseTransformerOptions::without_effect() const {
  if (has_phrases())
    return {};
  return {
      "no layer of the phrase_transformer has phrases: it is the plain Transformer (see --pt-grams "
      "and --pt-layers)"};
}

bool PhraseTransformerOptions::phrased(int64_t layer) const {
  if (pt_layers == "all")
    return true;
  const int64_t p = number_in<int64_t>(pt_layers).value_or(0);
  return p >= 0 ? layer < p : layer >= encoder_layers + p;
}

bool PhraseTransformerOptions::has_phrases() const {
  const std::vector<int64_t> layers = encoder_drop.kept(encoder_layers);
  return !gram_sizes().empty() &&
         std::ranges::any_of(layers, [this](int64_t layer) { return phrased(layer); });
}

std::vector<int64_t> PhraseTransformerOptions::gram_sizes() const {
  std::vector<int64_t> sizes = pt_grams;
  std::erase_if(sizes, [](int64_t size) { return size <= 0; });
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

bool PhraseTransformerOptions::keeps_raw() const {
  return pt_raw || std::find(pt_grams.begin(), pt_grams.end(), 0) != pt_grams.end();
}

std::vector<int64_t> PhraseTransformerOptions::sizes_of_heads() const {
  std::vector<int64_t> sizes = pt_grams;
  if (pt_head_order == GramHeadOrder::kAscending)
    std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace phraseq::phrase_transformer
