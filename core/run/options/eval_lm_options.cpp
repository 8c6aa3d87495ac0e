#include "core/run/options/eval_lm_options.h"

namespace phraseq {
namespace {

/// The values of --remove-bpe.
constexpr EnumName<PostProcess> kJoinedSubwords[] = {{"", PostProcess::kNotGiven},
                                                     {"none", PostProcess::kNone},
                                                     {"subword_nmt", PostProcess::kSubwordNmt}};

void describe_text(OptionTable& table, EvalLmOptions& o) {
  table.section("Evaluation");
  table.field("data", o.data, "Data folder made by phraseq preprocess --only-source.")
      .positional()
      .value_name("DATA")
      .required();
  table.field("gen-subset", o.gen_subset, "Split of the data folder to evaluate.");
  table.field("sample-break-mode",
              o.break_mode,
              kAutoBreakModeNames,
              "How the text is divided into blocks; auto = as in training. See the task "
              "language_modeling.");
  table
      .field("tokens-per-sample",
             o.tokens_per_sample,
             "Maximum number of tokens in a block, including the context of --context-window; 0 = "
             "as in training.")
      .at_least(0);
  table
      .field("context-window",
             o.context_window,
             "Number of additional tokens before each block that the model reads; their "
             "probabilities are not counted.")
      .at_least(0);
}

void describe_report(OptionTable& table, EvalLmOptions& o) {
  table.field("output-word-probs",
              o.output_word_probs,
              "Print a line for each block: its number, and each word with its natural-log "
              "probability.");
  table.field("output-word-stats",
              o.output_word_stats,
              "Print a line for each different word: count, sum of its log-probabilities, whether "
              "it was joined from several tokens, sum of the log-probabilities of the next words, "
              "and their number.");
  table
      .field("softmax-batch",
             o.softmax_batch,
             "Accepted for compatibility with fairseq: the output layer is always computed in "
             "pieces, with the same result.")
      .at_least(0);
  table
      .field("remove-bpe",
             o.remove_bpe,
             kJoinedSubwords,
             "Join subwords that end in @@ (subword_nmt), so that loss and perplexity are those of "
             "words.")
      .alias("post-process")
      .bare_value("subword_nmt");
}

}  // namespace

void EvalLmOptions::describe(OptionTable& table) {
  describe_text(table, *this);
  describe_report(table, *this);
  batches.describe(table);
}

}  // namespace phraseq
