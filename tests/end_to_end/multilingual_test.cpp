// Multilingual models on the command line, which are trained on several language pairs and
// translate in the requested direction; and models of fairseq, whose results must be those of
// fairseq.

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

const std::string kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_multilingual";

/// Models of fairseq with random weights, one for each position of language tokens.
class FairseqMultilingual : public ::testing::Test {
 protected:
  FairseqMultilingual() {
    std::ifstream file(kGolden + "/expected.json");
    expected_ = json::parse(file);
  }

  CommandResult run(const std::string& line, const std::string& input = {}) {
    CommandResult result = workspace_.run(words(line), input);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  void import(const std::string& setting) {
    run(fmt::format("import {0}/{1}.pt {1}.safetensors --data {0}/data-bin", kGolden, setting));
  }

  /// The lines of a file that have words.
  static std::string text_of(const std::string& language) {
    std::ifstream file(kGolden + "/test." + language);
    std::string text;
    for (std::string line; std::getline(file, line);) text += line.empty() ? "" : line + "\n";
    return text;
  }

  Workspace workspace_;
  json expected_;
};

TEST_F(FairseqMultilingual, TranslatesAsFairseqInEveryDirection) {
  // Phraseq computes in fp64, fairseq's log-softmax in fp32.
  constexpr double kScoreTolerance = 5e-5;
  for (const auto& [setting, of_fairseq] : expected_.at("settings").items()) {
    import(setting);
    for (const auto& [direction, sentences] : of_fairseq.at("directions").items()) {
      const std::string source = direction.substr(0, 2);
      const auto lines = lines_of(
          run(fmt::format("interactive --path {}.safetensors --source-lang {} --target-lang {} "
                          "--beam {} --nbest {} --max-len-a 1 --max-len-b 4 --format jsonl "
                          "--precision fp64",
                          setting,
                          source,
                          direction.substr(3),
                          expected_.at("beam").get<int>(),
                          expected_.at("nbest").get<int>()),
              text_of(source))
              .output);
      ASSERT_EQ(lines.size(), sentences.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        const json ours = json::parse(lines[i]);
        const std::string where = fmt::format("{} {} {}", setting, direction, i);
        EXPECT_EQ(ours.at("source"), sentences[i].at("source")) << where;
        ASSERT_EQ(ours.at("hypotheses").size(), sentences[i].at("hypotheses").size()) << where;
        for (size_t n = 0; n < ours.at("hypotheses").size(); ++n) {
          const json& found = ours.at("hypotheses")[n];
          const json& hypothesis = sentences[i].at("hypotheses")[n];
          EXPECT_EQ(found.at("token_ids"), hypothesis.at("token_ids")) << where;
          EXPECT_EQ(found.at("symbols"), hypothesis.at("symbols")) << where;
          EXPECT_NEAR(found.at("score"), hypothesis.at("score"), kScoreTolerance) << where;
          EXPECT_THAT(found.at("token_log_probabilities").get<std::vector<double>>(),
                      Pointwise(DoubleNear(kScoreTolerance),
                                hypothesis.at("token_scores").get<std::vector<double>>()))
              << where;
        }
      }
    }
  }
}

TEST_F(FairseqMultilingual, HasTheLossesOfFairseqForEveryPairAndTogether) {
  // Phraseq computes in fp64, fairseq's log-softmax in fp32.
  constexpr double kLossTolerance = 1e-7;
  for (const auto& [setting, of_fairseq] : expected_.at("settings").items()) {
    import(setting);
    const std::string validate =
        fmt::format("validate {}/data-bin --path {}.safetensors --precision fp64 --format json",
                    kGolden,
                    setting);
    const json all = json::parse(run(validate).output);
    double sum = 0;
    int64_t tokens = 0;
    for (const auto& [pair, losses] : of_fairseq.at("losses").items()) {
      EXPECT_EQ(all.at("parts").at(pair).at("tokens"), losses.at("tokens")) << setting << pair;
      EXPECT_NEAR(all.at("parts").at(pair).at("nll_loss"), losses.at("nll_loss"), kLossTolerance);
      const json alone = json::parse(
          run(validate + fmt::format(" -s {} -t {}", pair.substr(0, 2), pair.substr(3))).output);
      EXPECT_NEAR(alone.at("nll_loss"), losses.at("nll_loss"), kLossTolerance) << setting << pair;
      EXPECT_FALSE(alone.contains("parts"));
      sum += losses.at("nll_loss").get<double>() * losses.at("tokens").get<double>();
      tokens += losses.at("tokens").get<int64_t>();
    }
    EXPECT_EQ(all.at("tokens"), tokens);
    EXPECT_NEAR(all.at("nll_loss"), sum / static_cast<double>(tokens), kLossTolerance) << setting;
  }
}

/// A model with the language as the first token of the decoder is not tested: it generates control
/// symbols, which text cannot express.
TEST_F(FairseqMultilingual, RescoringGivesTheScoresOfTheSearch) {
  workspace_.write("test.en", text_of("en"));
  for (const std::string setting : {"source", "target", "mbart"}) {
    import(setting);
    const std::string model =
        fmt::format(" --path {}.safetensors --source-lang en --target-lang de ", setting);
    std::string translations;
    std::vector<double> scores;
    for (const std::string& line :
         lines_of(run("generate --format jsonl --input test.en" + model).output)) {
      const json best = json::parse(line).at("hypotheses").at(0);
      translations += best.at("symbols").get<std::string>() + "\n";
      scores.push_back(best.at("log_probability"));
    }
    workspace_.write("test.de", translations);
    const auto found = lines_of(run("rescore --source test.en --target test.de" + model).output);
    ASSERT_EQ(found.size(), scores.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(std::stod(found[i]), scores[i], 1e-4) << setting;
  }
}

/// English numbers to German and French ones; the French words are made up.
class TwoTargets : public ::testing::Test {
 protected:
  TwoTargets() {
    std::string all;
    for (const std::string pair : {"en-de", "en-fr"}) {
      std::filesystem::create_directory(workspace_.path(pair));
      for (const auto& [split, size] : {std::pair{"train", 200}, {"dev", 20}, {"test", 30}}) {
        const ToyText text = toy_text(pair == "en-fr" && size == 200 ? 60 : size, uint64_t(size));
        const std::string target = pair == "en-de" ? text.german : french(text.german);
        workspace_.write(fmt::format("{}/{}.en", pair, split), text.english);
        workspace_.write(fmt::format("{}/{}.{}", pair, split, pair.substr(3)), target);
        all += text.english + target;
      }
    }
    workspace_.write("all", all);
    run("preprocess --only-source --trainpref all --dict-only --destdir vocabulary");
    for (const std::string pair : {"en-de", "en-fr"}) {
      run(fmt::format(
          "preprocess -s en -t {1} --trainpref {0}/train --validpref {0}/dev --testpref "
          "{0}/test --joined-dictionary --srcdict vocabulary/dict.txt --destdir "
          "data-bin/{0}",
          pair,
          pair.substr(3)));
    }
  }

  static std::string french(std::string german) {
    for (size_t at = 0; at < german.size(); ++at) {
      if (at == 0 || german[at - 1] == ' ' || german[at - 1] == '\n')
        german.insert(at++, "f");
    }
    return german;
  }

  CommandResult run(const std::string& line) {
    CommandResult result = workspace_.run(words(line));
    EXPECT_EQ(result.exit_code, kExitOk) << line << result.errors;
    return result;
  }

  CommandResult train(const std::string& save_dir, int updates, const std::string& more) {
    CommandResult result = workspace_.run(
        toy_train(save_dir, updates) +
        words("--task translation_multi_simple_epoch --lang-pairs en-de,en-fr " + more));
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result;
  }

  /// The share of correct words in a test set.
  double accuracy(const std::string& target) {
    const std::string found =
        run(fmt::format("generate --path model -s en -t {0} --input en-{0}/test.en", target))
            .output;
    std::istringstream hypotheses(found),
        references(workspace_.read("en-" + target + "/test." + target));
    int right = 0, all = 0;
    for (std::string hypothesis, reference;
         std::getline(references, reference) && std::getline(hypotheses, hypothesis);) {
      std::istringstream said(hypothesis), meant(reference);
      for (std::string word, expected; meant >> expected; ++all) {
        said >> word;
        right += word == expected ? 1 : 0;
      }
    }
    return static_cast<double>(right) / all;
  }

  Workspace workspace_;
};

TEST_F(TwoTargets, TranslationsFollowTheLanguageThatIsAskedFor) {
  const CommandResult training =
      train("model",
            600,
            "--encoder-langtok tgt --decoder-langtok --sampling-method temperature "
            "--sampling-temperature 5 --validate-interval-updates 600 --eval-bleu");
  EXPECT_THAT(training.errors,
              AllOf(HasSubstr("pass 1: "),
                    HasSubstr("of 60 pairs of en-fr"),
                    HasSubstr("\n  en-de | loss "),
                    HasSubstr("\n  en-fr | loss ")));
  EXPECT_GT(accuracy("de"), 0.9);
  EXPECT_GT(accuracy("fr"), 0.9);

  const CommandResult none = workspace_.run(words("interactive --path model"), "one\n");
  EXPECT_EQ(none.exit_code, kExitUsage);
  EXPECT_THAT(none.errors,
              AllOf(HasSubstr("translates in several directions: en-de, en-fr"),
                    HasSubstr("--source-lang and --target-lang")));
  EXPECT_THAT(workspace_.run(words("interactive --path model -s en -t nl"), "one\n").errors,
              HasSubstr("'nl' is not a language of the model"));
  EXPECT_EQ(workspace_.run(words("interactive --path model -s en"), "one\n").exit_code, kExitUsage);

  const auto lines =
      lines_of(run("generate data-bin --path model -s en -t fr --gen-subset test --task "
                   "translation_multi_simple_epoch --lang-pairs en-de,en-fr --encoder-langtok tgt "
                   "--decoder-langtok")
                   .output);
  EXPECT_THAT(lines.front(), HasSubstr("S-0\t__fr__ "));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("T-0\tf"), Not(HasSubstr("__fr__"))));
  EXPECT_THAT(lines[2], Not(HasSubstr("__fr__")));
  EXPECT_EQ(lines_of(run("generate data-bin --path model --gen-subset test --format plain").output)
                .size(),
            60U)
      << "both pairs";
  EXPECT_EQ(workspace_.run(words("interactive --path model -s en -t de"), "\none\n").output,
            "\neins\n");
}

TEST_F(TwoTargets, AWarningSaysThatOneTokenizerScoresAllPairs) {
  for (const std::string split : {"train", "dev"})
    workspace_.write("en-fr/" + split + ".zh", workspace_.read("en-fr/" + split + ".fr"));
  run("preprocess -s en -t zh --trainpref en-fr/train --validpref en-fr/dev --joined-dictionary "
      "--srcdict vocabulary/dict.txt --destdir data-bin/en-zh");
  const auto log = [&](const std::string& more) {
    return workspace_
        .run(toy_train("zh" + std::to_string(more.size()), 1) +
             words("--task translation_multi_simple_epoch --lang-pairs en-de,en-zh "
                   "--decoder-langtok --eval-bleu " +
                   more))
        .errors;
  };
  const char* const warning =
      "with the tokenizer 13a of the target language de, but sacrebleu uses zh for zh";
  EXPECT_THAT(log(""), HasSubstr(warning));
  EXPECT_THAT(log("--bleu-tokenize char"), Not(HasSubstr(warning)));
}

TEST_F(TwoTargets, AResumeInTheMiddleOfAVirtualEpochContinues) {
  const std::string settings =
      "--lang-tok-replacing-bos-eos --encoder-langtok src --decoder-langtok --sampling-method "
      "uniform --virtual-epoch-size 90 --max-epoch 4 --threads 1 --max-tokens 150";
  train("unbroken", 1000, settings);
  const auto expected = losses(workspace_, "unbroken");
  ASSERT_GT(expected.size(), 10U);
  for (const int updates : {3, 8, 1000}) train("resumed", updates, settings);
  EXPECT_EQ(losses(workspace_, "resumed"), expected);
  EXPECT_EQ(last_tensors(workspace_, "resumed"), last_tensors(workspace_, "unbroken"));
}

}  // namespace
}  // namespace phraseq::end_to_end
