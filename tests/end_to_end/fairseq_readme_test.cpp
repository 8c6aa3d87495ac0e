// The command lines of fairseq's translation README, word for word, on a corpus made up here.
// Additional options make the runs short.

#include <algorithm>
#include <map>
#include <set>
#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/options/fairseq/flag_table.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr const char* kSmall =
    " --encoder-layers 1 --decoder-layers 1 --encoder-embed-dim 32 --decoder-embed-dim 32"
    " --encoder-ffn-embed-dim 48 --decoder-ffn-embed-dim 48 --encoder-attention-heads 2"
    " --decoder-attention-heads 2 --threads 1";

class FairseqsReadme : public ::testing::Test {
 protected:
  FairseqsReadme() {
    write_toy_corpus(workspace_);
    const CommandResult result = workspace_.run(
        words("preprocess --source-lang de --target-lang en --trainpref train --validpref dev "
              "--testpref test --destdir data-bin/iwslt14.tokenized.de-en --workers 20"));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  }

  CommandResult train(const std::string& more) {
    return workspace_.run(
        words("train data-bin/iwslt14.tokenized.de-en --arch transformer_iwslt_de_en "
              "--share-decoder-input-output-embed --optimizer adam --adam-betas") +
        Arguments{"(0.9, 0.98)"} +
        words("--clip-norm 0.0 --lr 5e-4 --lr-scheduler inverse_sqrt --warmup-updates 4000 "
              "--dropout 0.3 --weight-decay 0.0001 --criterion label_smoothed_cross_entropy "
              "--label-smoothing 0.1 --max-tokens 4096 --eval-bleu --eval-bleu-args") +
        Arguments{R"({"beam": 5, "max_len_a": 1.2, "max_len_b": 10})"} +
        words("--eval-bleu-detok moses --eval-bleu-remove-bpe --eval-bleu-print-samples "
              "--best-checkpoint-metric bleu --maximize-best-checkpoint-metric" +
              more));
  }

  /// Checks --score-reference of the trained model.
  void expect_scores_of_references() {
    const Arguments reference = words(
        "generate data-bin/iwslt14.tokenized.de-en --path checkpoints/checkpoint_best.pt "
        "--batch-size 128 --beam 5 --remove-bpe --score-reference");
    const CommandResult forced = workspace_.run(reference);
    ASSERT_EQ(forced.exit_code, kExitOk) << forced.errors;
    EXPECT_EQ(lines_of(forced.output).size(), 5 * 30U + 1);
    EXPECT_THAT(lines_of(forced.output).back(),
                AllOf(StartsWith("Generate test with beam=5: BLEU"), HasSubstr(" = 100.")));
    const CommandResult rescored = workspace_.run(
        words("rescore data-bin/iwslt14.tokenized.de-en --path checkpoints --remove-bpe "
              "--gen-subset test --format fairseq --batch-size 128"));
    ASSERT_EQ(rescored.exit_code, kExitOk) << rescored.errors;
    EXPECT_THAT(forced.output, StartsWith(rescored.output));
    const CommandResult aligned = workspace_.run(
        reference + words("--print-alignment --lm-path lm --replace-unk --shortlist lex"));
    EXPECT_EQ(aligned.exit_code, kExitUsage);
    EXPECT_THAT(aligned.errors,
                AllOf(HasSubstr("--score-reference does not search: do not use --print-alignment"),
                      HasSubstr("do not use --lm-path"),
                      HasSubstr("do not use --shortlist"),
                      HasSubstr("do not use --replace-unk")));
    const CommandResult text =
        workspace_.run(words("generate --path checkpoints --score-reference"), "drei\n");
    EXPECT_EQ(text.exit_code, kExitUsage);
    EXPECT_THAT(text.errors, HasSubstr("phraseq rescore --source FILE --target FILE"));
  }

  Workspace workspace_;
};

TEST_F(FairseqsReadme, TrainsAndTranslatesIwslt) {
  const CommandResult trained =
      train(std::string(kSmall) + " --max-epoch 2 --no-progress-bar --fp16 --num-workers 2");
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  EXPECT_THAT(trained.errors,
              AllOf(HasSubstr("note: --eval-bleu-detok has no effect here"),
                    HasSubstr("--fp16 on a CPU is slow"),
                    HasSubstr("note: --num-workers has no effect here"),
                    HasSubstr("--smoothing-kernel fairseq-0.12"),
                    Not(HasSubstr("continues until it is stopped"))));

  const CommandResult translated = workspace_.run(
      words("generate data-bin/iwslt14.tokenized.de-en --path "
            "checkpoints/checkpoint_best.pt --batch-size 128 --beam 5 --remove-bpe"));
  ASSERT_EQ(translated.exit_code, kExitOk) << translated.errors;
  // S-, T-, H-, D- and P- lines, and the score.
  EXPECT_EQ(lines_of(translated.output).size(), 5 * 30U + 1);
  EXPECT_THAT(translated.output, StartsWith("S-0\t"));
  EXPECT_THAT(lines_of(translated.output).back(), StartsWith("Generate test with beam=5: BLEU"));

  expect_scores_of_references();

  workspace_.write("codes", workspace_.run(words("learn-bpe train.de --merges 500")).output);
  const Arguments interactive = words(
      "interactive --path checkpoints/checkpoint_best.pt data-bin --beam 5 --source-lang de "
      "--target-lang en --tokenizer moses --bpe subword_nmt --bpe-codes codes");
  const CommandResult line = workspace_.run(interactive, "drei,vier\n");
  ASSERT_EQ(line.exit_code, kExitOk) << line.errors;
  EXPECT_THAT(line.output, AllOf(StartsWith("S-0\tdrei "), HasSubstr(" vier\nH-0\t")));
  EXPECT_EQ(lines_of(line.output).size(), 4U) << line.output;  // S-, H-, D- and P-
  // 0 is fairseq's default.
  const Arguments plain = interactive + words("--format plain --buffer-size 0");
  EXPECT_EQ(lines_of(workspace_.run(plain, "drei\n\n").output).size(), 2U);

  const CommandResult scored = workspace_.run(
      words("generate data-bin/iwslt14.tokenized.de-en --path checkpoints/checkpoint_best.pt "
            "--beam 5 --scoring sacrebleu --sacrebleu --quiet --task translation "
            "-s de -t en --model-overrides") +
      Arguments{"{'beam': 5, 'eval_bleu': False}"});
  ASSERT_EQ(scored.exit_code, kExitOk) << scored.errors;
  EXPECT_THAT(scored.output, HasSubstr("Generate test with beam=5: BLEU"));
  for (const char* option : {"'beam'", "'eval_bleu'"}) {
    EXPECT_THAT(scored.errors,
                HasSubstr(std::string(option) + " in --model-overrides has no effect"));
  }
}

TEST_F(FairseqsReadme, WithoutALimitTrainingContinuesWithAWarning) {
  RunningCommand training = workspace_.start(
      words("train data-bin/iwslt14.tokenized.de-en --arch transformer_iwslt_de_en --optimizer "
            "adam --lr 5e-4 --max-tokens 4096 --log-interval 1" +
            std::string(kSmall)));
  // The file is created before signals are handled, and its first line is written afterwards.
  const auto has_begun = [&] {
    return workspace_.exists("checkpoints/metrics.jsonl") &&
           !workspace_.read("checkpoints/metrics.jsonl").empty();
  };
  ASSERT_TRUE(wait_until([&] { return has_begun() || !training.is_running(); }));
  training.send(SIGTERM);
  const CommandResult result = training.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("training continues until it is stopped: --max-update"));
}

TEST_F(FairseqsReadme, WhatIsNotSupportedHasAReason) {
  const CommandResult lstm = workspace_.run(
      words("train data-bin/iwslt14.tokenized.de-en --arch lstm_luong_wmt_en_de --max-tokens 100"));
  EXPECT_EQ(lstm.exit_code, kExitUsage);
  EXPECT_THAT(lstm.errors, HasSubstr("there is no LSTM model; rnnsearch is the recurrent"));

  const CommandResult adaptive = train(std::string(kSmall) + " --adaptive-input");
  EXPECT_EQ(adaptive.exit_code, kExitUsage);
  EXPECT_THAT(adaptive.errors,
              HasSubstr("--adaptive-input is not supported: there are no adaptive embeddings"));
  const CommandResult cutoff =
      train(std::string(kSmall) + " --adaptive-softmax-cutoff 100,200 --adaptive-softmax-factor 4");
  EXPECT_EQ(cutoff.exit_code, kExitUsage);
  EXPECT_THAT(cutoff.errors,
              HasSubstr("--adaptive-softmax-cutoff is not supported: the output is a softmax"));

  const CommandResult dropped =
      workspace_.run(words("interactive --path model.pt data-bin --beam 5 --retain-dropout"));
  EXPECT_EQ(dropped.exit_code, kExitUsage);
  EXPECT_THAT(dropped.errors,
              AllOf(HasSubstr("--retain-dropout is not supported"),
                    HasSubstr("the data folder data-bin selects only the output format"),
                    Not(HasSubstr("unexpected argument"))));
}

/// Adds the flags of one command line to `found`.
void add_options(Workspace& workspace, const std::string& line, std::set<std::string>& found) {
  const CommandResult result = workspace.run(words(line + " --help-json"));
  ASSERT_EQ(result.exit_code, kExitOk) << line << ": " << result.errors;
  const auto described = nlohmann::json::parse(result.output);
  for (const auto& option : described.at("options")) {
    for (const auto& flag : option.at("flags")) found.insert(flag.get<std::string>());
  }
}

/// The flags of every command, by its letter, including those of components.
std::map<char, std::set<std::string>> options_of_commands() {
  Workspace workspace;
  std::map<char, std::set<std::string>> options;
  for (const std::string optimizer : {"sgd", "adadelta", "adafactor", "adagrad", "adamax", "nag"})
    add_options(workspace, "train --optimizer " + optimizer, options['t']);
  for (const std::string schedule :
       {"inverse_sqrt", "fixed", "cosine", "polynomial_decay", "tri_stage", "reduce_lr_on_plateau"})
    add_options(workspace, "train --lr-scheduler " + schedule, options['t']);
  add_options(workspace,
              "train --arch transformer_iwslt_de_en --criterion label_smoothed_cross_entropy",
              options['t']);
  for (const std::string more : {"--criterion label_smoothed_cross_entropy_with_alignment",
                                 "--task translation_multi_simple_epoch"}) {
    add_options(workspace, "train " + more, options['t']);
    add_options(workspace, "validate " + more, options['v']);
  }
  add_options(workspace, "train --task language_modeling --arch transformer_lm", options['t']);
  add_options(workspace, "eval-lm", options['e']);
  add_options(workspace, "generate", options['g']);
  add_options(workspace, "generate --sampling", options['g']);
  add_options(workspace, "generate --tokenizer moses", options['g']);
  add_options(workspace, "interactive --tokenizer moses", options['i']);
  add_options(workspace, "interactive", options['i']);
  add_options(workspace, "interactive --sampling", options['i']);
  add_options(workspace, "preprocess", options['p']);
  add_options(workspace, "preprocess --tokenizer moses", options['p']);
  add_options(workspace, "validate --criterion label_smoothed_cross_entropy", options['v']);
  add_options(workspace, "score", options['s']);
  add_options(workspace, "generate --scoring sacrebleu", options['g']);
  add_options(workspace, "train --eval-bleu", options['t']);
  return options;
}

/// The headings above some options in the help of train.
std::map<std::string, std::string> sections_of(const std::set<std::string>& names) {
  std::map<std::string, std::string> sections;
  const CommandResult result = Workspace().run(words("train --help-json"));
  const auto described = nlohmann::json::parse(result.output);
  for (const auto& option : described.at("options")) {
    if (const std::string name = option.at("name"); names.contains(name))
      sections[name] = option.at("section");
  }
  return sections;
}

/// Returns "--output" for "--output={value}"; the command line treats underscores as dashes.
std::string option_of(std::string_view text) {
  std::string name(text.substr(0, text.find_first_of(" =")));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

TEST(FairseqsFlags, ThatAreCalledTheSameOrReplacedAreOptions) {
  const auto options = options_of_commands();
  for (const fairseq::Flag& flag : fairseq::flags()) {
    const bool is_same = flag.support == fairseq::Support::kSame;
    if (!is_same && flag.support != fairseq::Support::kRenamed)
      continue;
    const std::string name = option_of(is_same ? flag.names : flag.ours);
    for (const char command : flag.commands)
      EXPECT_TRUE(options.at(command).contains(name)) << name << " of " << command;
  }
}

TEST(FairseqsFlags, OfConfigurationsHaveASectionOfTheirOwn) {
  EXPECT_THAT(sections_of({"config-name", "quiet", "device", "deterministic"}),
              ElementsAre(Pair("config-name", "Configuration of fairseq-hydra-train"),
                          Pair("deterministic", "Machine and logging"),
                          Pair("device", "Machine and logging"),
                          Pair("quiet", "Machine and logging")));
}

TEST(FairseqsFlags, SelectNoMetricByThePerplexity) {
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);
  const CommandResult result =
      workspace.run(toy_train("run", 2) + words("--best-checkpoint-metric ppl"));
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("best checkpoint: run/checkpoint_best (nll_loss "));
}

TEST(FairseqsFlags, ForAFolderOfResultsAreAcceptedByEvalLm) {
  const CommandResult result =
      Workspace().run(words("eval-lm data --path lm.ckpt --results-path results"));
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("note: --results-path has no effect here"),
                    Not(HasSubstr("unknown option"))));
}

}  // namespace
}  // namespace phraseq::end_to_end
