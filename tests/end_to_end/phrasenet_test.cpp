// phraseNet through the commands: an external phrase memory translates names that no vocabulary
// has, including names that are new after training.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::pair<std::string, std::string>> kNouns = {
    {"dog", "hund"}, {"cat", "katze"}, {"house", "haus"}, {"tree", "baum"}};
const std::vector<std::pair<std::string, std::string>> kVerbs = {
    {"sleeps", "schläft"}, {"sings", "singt"}, {"falls", "fällt"}};

std::string source_name(int number) { return fmt::format("n{}", number); }
std::string target_name(int number) { return fmt::format("herr{0} klein{0}", number); }

/// Line `i` of a text: a name between a noun and a verb.
std::pair<std::string, std::string> line(int i) {
  const auto& noun = kNouns[static_cast<size_t>(i) % kNouns.size()];
  const auto& verb = kVerbs[static_cast<size_t>(i) % kVerbs.size()];
  return {fmt::format("the {} {} {}\n", noun.first, source_name(i), verb.first),
          fmt::format("das {} {} {}\n", noun.second, target_name(i), verb.second)};
}

class PhraseNetText : public ::testing::Test {
 protected:
  PhraseNetText() {
    write_text("train", 0, 120);
    write_text("dev", 120, 132);
    write_text("test", 132, 144);
    workspace_.write("table", table(0, 144));
  }

  void write_text(const std::string& name, int first, int last) {
    std::string sources, targets;
    for (int i = first; i < last; ++i) {
      sources += line(i).first;
      targets += line(i).second;
    }
    workspace_.write(name + ".en", sources);
    workspace_.write(name + ".de", targets);
  }

  static std::string table(int first, int last) {
    std::string entries;
    for (int i = first; i < last; ++i)
      entries += fmt::format("{} ||| {} ||| names ||| 1 ||| 1\n", source_name(i), target_name(i));
    return entries;
  }

  CommandResult run(const std::string& arguments, std::string_view input = {}) {
    return workspace_.run(words(arguments), input);
  }

  Workspace workspace_;
};

class PhraseNetOnTheCommandLine : public PhraseNetText,
                                  public ::testing::WithParamInterface<const char*> {};

TEST_P(PhraseNetOnTheCommandLine, TranslatesNamesThatNoVocabularyHas) {
  const CommandResult preprocess =
      run("preprocess -s en -t de --trainpref train --validpref dev --testpref test --destdir data "
          "--tokenizer none --thresholdsrc 3 --thresholdtgt 3 --phrase-table table --pn-slots 2");
  ASSERT_EQ(preprocess.exit_code, kExitOk) << preprocess.errors;
  const CommandResult train =
      run(std::string(
              "train data --task translation_with_phrase_memory --criterion phrase_mixture "
              "--arch phrasenet --embed-dim 16 --hidden 24 --gate-hidden 16 --coverage-dim 3 "
              "--optimizer adam --lr 0.02 --lr-scheduler constant --max-tokens 150 "
              "--max-update 250 --clip-norm 1 --no-epoch-checkpoints --threads 1 --pn-variant ") +
          GetParam());
  ASSERT_EQ(train.exit_code, kExitOk) << train.errors;

  const CommandResult known =
      run("generate --path checkpoints/checkpoint_last --beam 3", workspace_.read("test.en"));
  ASSERT_EQ(known.exit_code, kExitOk) << known.errors;
  const auto lines = lines_of(known.output);
  ASSERT_EQ(lines.size(), 12U);
  for (int i = 0; i < 12; ++i)
    EXPECT_THAT(lines[static_cast<size_t>(i)], HasSubstr(target_name(132 + i)));

  workspace_.write("other-table", "n132 ||| neuer name ||| names ||| 1 ||| 1\n");
  const CommandResult other =
      run("generate --path checkpoints/checkpoint_last --beam 3 --phrase-table other-table",
          line(132).first);
  ASSERT_EQ(other.exit_code, kExitOk) << other.errors;
  EXPECT_THAT(other.output, HasSubstr("neuer name"));

  const CommandResult rescore =
      run("rescore --path checkpoints/checkpoint_last --source test.en --target test.de");
  EXPECT_EQ(rescore.exit_code, kExitOk) << rescore.errors;
}

INSTANTIATE_TEST_SUITE_P(Variants, PhraseNetOnTheCommandLine, ::testing::Values("gate", "softmax"));

TEST_F(PhraseNetText, IsTrainedAndValidatedWithItsOwnCriterionAndWarnsOfAnother) {
  ASSERT_EQ(run("preprocess -s en -t de --trainpref train --validpref dev --destdir data "
                "--tokenizer none --thresholdsrc 3 --thresholdtgt 3 --phrase-table table "
                "--pn-slots 2")
                .exit_code,
            kExitOk);
  const std::string train =
      "train data --task translation_with_phrase_memory --arch phrasenet_gate --embed-dim 16 "
      "--hidden 24 --gate-hidden 16 --coverage-dim 3 --max-tokens 150 --max-update 3 --threads 1 ";
  const std::string validate = "validate data --threads 1 --format json --path ";
  const CommandResult own = run(train + "--save-dir own");
  ASSERT_EQ(own.exit_code, kExitOk) << own.errors;
  const auto options = nlohmann::json::parse(workspace_.read("own/run.json")).at("options");
  EXPECT_EQ(options.at("criterion").at("value"), "phrase_mixture");
  EXPECT_THAT(own.errors,
              AllOf(Not(HasSubstr("--criterion")), Not(HasSubstr("does not use the phrases"))));
  const CommandResult of_own = run(validate + "own");
  EXPECT_EQ(of_own.output, run(validate + "own --criterion phrase_mixture").output);
  EXPECT_THAT(of_own.errors, Not(HasSubstr("--criterion")));

  constexpr const char* kWarning =
      "--criterion cross_entropy: the architecture phrasenet is designed for phrase_mixture";
  const CommandResult other = run(train + "--save-dir other --criterion cross_entropy");
  EXPECT_EQ(other.exit_code, kExitOk) << other.errors;
  EXPECT_THAT(other.errors, AllOf(HasSubstr("warning"), HasSubstr(kWarning)));
  const CommandResult of_words = run(validate + "own --criterion cross_entropy");
  EXPECT_EQ(of_words.exit_code, kExitOk);
  EXPECT_THAT(of_words.errors, AllOf(HasSubstr("warning"), HasSubstr(kWarning)));
  EXPECT_NE(of_words.output, of_own.output);
}

TEST_F(PhraseNetText, NeedsTheTaskThatFindsPhrases) {
  ASSERT_EQ(run("preprocess -s en -t de --trainpref train --validpref dev --destdir data "
                "--tokenizer none")
                .exit_code,
            kExitOk);
  const CommandResult train =
      run("train data --arch phrasenet_tiny_gate --max-tokens 300 --max-update 1");
  EXPECT_EQ(train.exit_code, kExitUsage);
  EXPECT_THAT(train.errors, HasSubstr("--task translation_with_phrase_memory"));
}

}  // namespace
}  // namespace phraseq::end_to_end
