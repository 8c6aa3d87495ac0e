#include "options.h"

namespace phraseq::bleu {

void BleuOptions::describe(OptionTable& table) {
  table
      .field("bleu-smooth-method",
             smoothing,
             score::kSmoothingNames,
             "What to do with orders that have no match.")
      .harmless();
  table
      .field("bleu-smooth-value",
             smooth_value,
             "For floor and add-k; -1 = 0.1 for floor, 1 for add-k.")
      .at_least(-1)
      .harmless();
  table
      .field("bleu-tokenize",
             tokenize,
             "none, zh, 13a, intl, char, spm, flores101, flores200 or spBLEU-1K; by default zh for "
             "Chinese, 13a otherwise.")
      .value_name("NAME")
      .harmless();
  table.field("bleu-spm-model", spm_model, "SentencePiece model of the spm tokenizers.")
      .value_name("FILE")
      .harmless();
  table.field("bleu-lowercase", lowercase, "Ignore case.").harmless();
  table.field("bleu-order", order, "Longest n-gram that counts.").in(1, 100).harmless();
  table
      .field("bleu-effective-order",
             effective_order,
             "Average only over the orders that there are n-grams of; on at sentence level.")
      .harmless();
  table.field("mteval-preserve-case", preserve_case, "mteval-v11b: respect case (the script's -c).")
      .harmless();
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
