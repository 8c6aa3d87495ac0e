#include "options.h"

#include <fmt/format.h>

namespace phraseq::bleu {

void BleuOptions::describe(OptionTable& table) {
  table
      .field("bleu-smooth-method",
             smoothing,
             score::kSmoothingNames,
             "Smoothing method: exponential decay, floor, add-k or none.")
      .harmless();
  table
      .field(
          "bleu-smooth-value",
          smooth_value,
          "Smoothing value for floor and add-k; -1 = the default, 0.1 for floor and 1 for add-k.")
      .at_least(-1)
      .harmless();
  table
      .field("bleu-tokenize",
             tokenize,
             "Tokenizer: none, zh, 13a, intl, char, spm, flores101, flores200 or spBLEU-1K; "
             "default: zh for Chinese, 13a otherwise; Japanese and Korean have none.")
      .value_name("NAME")
      .harmless();
  table.field("bleu-spm-model", spm_model, "SentencePiece model for the spm tokenizers.")
      .value_name("FILE")
      .harmless();
  table.field("bleu-lowercase", lowercase, "Case-insensitive matching.").harmless();
  table.field("bleu-order", order, "Maximum n-gram order.").in(1, 100).harmless();
  table
      .field("bleu-effective-order",
             effective_order,
             "Effective order: use only n-gram orders that the hypothesis is long enough for; "
             "always on at sentence level.")
      .harmless();
  table.field("mteval-preserve-case", preserve_case, "mteval-v11b: respect case (the script's -c).")
      .harmless();
}

std::vector<std::string> BleuOptions::problems() const {
  if (smooth_value >= 0 || smooth_value == -1)
    return {};
  return {fmt::format("--bleu-smooth-value is {}: expected -1 or a number of at least 0",
                      smooth_value)};
}

score::BleuSettings BleuOptions::settings(const MetricSetup& setup) const {
  if (script == Script::kMultiBleu)
    return score::multi_bleu_settings(lowercase);
  if (script == Script::kMtevalV11b)
    return score::mteval_v11b_settings(preserve_case);
  score::BleuSettings settings;
  settings.smoothing = smoothing;
  if (smooth_value >= 0)
    settings.smooth_value = smooth_value;
  settings.tokenizer =
      tokenize.empty() ? score::default_tokenizer(setup.target_language) : tokenize;
  settings.tokenizer_model = spm_model;
  settings.lowercase = lowercase;
  settings.effective_order = effective_order || setup.sentence_level;
  settings.max_order = static_cast<int>(order);
  return settings;
}

}  // namespace phraseq::bleu
