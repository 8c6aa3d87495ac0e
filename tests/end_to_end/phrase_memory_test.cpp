// A phrase memory through the commands: text is preprocessed, a model is trained, and then text is
// translated and scored with the checkpoint alone, and with another table.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTable =
    "one two ||| eins zwei ||| numbers ||| 1 ||| 9\n"
    "six ||| sechs ||| numbers ||| 1 ||| 9\n"
    "nine ||| IX ||| numbers ||| 1 ||| 9\n";

class PhraseMemoryOnTheCommandLine : public ::testing::Test {
 protected:
  PhraseMemoryOnTheCommandLine() {
    write_toy_corpus(workspace_);
    workspace_.write("table", kTable);
  }
  CommandResult run(const Arguments& arguments, std::string_view input = {}) {
    return workspace_.run(arguments, input);
  }
  Arguments train() const {
    return toy_train("checkpoints", 2) +
           words("--task translation_with_phrase_memory --threads 1 --eval-bleu");
  }

  Workspace workspace_;
};

TEST_F(PhraseMemoryOnTheCommandLine, GoesFromTextToTranslationWithOnlyACheckpoint) {
  const CommandResult preprocess =
      run(toy_preprocess() + words("--phrase-table table --pn-slots 3 --workers 2"));
  ASSERT_EQ(preprocess.exit_code, kExitOk) << preprocess.errors;
  EXPECT_THAT(
      preprocess.errors,
      AllOf(HasSubstr("[en] phrases of train: 200 sentences"), HasSubstr("found in the target")));
  const CommandResult trained = run(train());
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  EXPECT_THAT(trained.errors,
              HasSubstr("warning | the architecture 'transformer' does not use the phrases of the "
                        "task 'translation_with_phrase_memory'"));

  std::filesystem::remove(workspace_.path("table"));
  const Arguments generate = words("generate --path checkpoints/checkpoint_last --format jsonl");
  const CommandResult of_data = run(generate + words("data-bin"));
  std::filesystem::remove_all(workspace_.path("data-bin"));
  const CommandResult of_text = run(generate, workspace_.read("test.en"));
  ASSERT_EQ(of_text.exit_code, kExitOk) << of_text.errors;
  const auto lines = lines_of(of_text.output);
  const auto data_lines = lines_of(of_data.output);
  ASSERT_EQ(lines.size(), 30U);
  ASSERT_EQ(data_lines.size(), 30U) << of_data.errors;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto translated = nlohmann::json::parse(lines[i]);
    // Sentences with phrases list those that were used; the Transformer uses none.
    const std::string source = translated["source"];
    const bool has_phrase = source.find("one two") != std::string::npos ||
                            source.find("six") != std::string::npos ||
                            source.find("nine") != std::string::npos;
    EXPECT_EQ(translated["hypotheses"][0].contains("phrases"), has_phrase) << source;
    EXPECT_EQ(nlohmann::json::parse(data_lines[i])["hypotheses"], translated["hypotheses"]);
  }
  EXPECT_EQ(run(words("rescore --path checkpoints/checkpoint_last --source test.en --target "
                      "test.de"))
                .exit_code,
            kExitOk);
}

TEST_F(PhraseMemoryOnTheCommandLine, RecordsTheSettingsThatTheDataDecided) {
  ASSERT_EQ(run(toy_preprocess() + words("--phrase-table table --pn-slots 4 --pn-overlap dp "
                                         "--pn-repeat shared --pn-lowercase"))
                .exit_code,
            kExitOk);
  const CommandResult trained = run(train());
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const auto manifest = nlohmann::json::parse(workspace_.read("checkpoints/run.json"));
  const nlohmann::json used = {{"pn_slots", 4},
                               {"pn_overlap", "dp"},
                               {"pn_repeat", "shared"},
                               {"pn_lowercase", true},
                               {"source_lang", "en"},
                               {"target_lang", "de"},
                               {"tokenizer", "word"},
                               {"data_loader", "indexed"}};
  const CommandResult inspected = run(words("inspect checkpoints --options"));
  ASSERT_EQ(inspected.exit_code, kExitOk);
  for (const auto& [name, value] : used.items()) {
    const auto& option = manifest.at("options").at(name);
    EXPECT_EQ(option.at("value"), value) << name;
    EXPECT_EQ(option.at("origin"), "data") << name;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    EXPECT_THAT(inspected.output, HasSubstr("\n" + name + " = " + text + "\n"));
  }

  // The recorded options equal those that the data decides again.
  const CommandResult resumed = run(train() + words("--max-update 3"));
  EXPECT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors, HasSubstr("resumed from"));
  const CommandResult same = run(train() + words("--max-update 4 --pn-slots 4 -s en"));
  EXPECT_EQ(same.exit_code, kExitOk) << same.errors;
  const CommandResult other = run(train() + words("--max-update 5 --pn-slots 10"));
  EXPECT_EQ(other.exit_code, kExitUsage);
  EXPECT_THAT(other.errors, HasSubstr("--pn-slots 10 was given, but the data has 4"));
}

TEST_F(PhraseMemoryOnTheCommandLine, ReadsRawTextAndTakesAnotherTableForTranslating) {
  ASSERT_EQ(run(toy_preprocess() + words("--dict-only")).exit_code, kExitOk);
  for (const char* name : {"train.en", "train.de"})
    workspace_.write(std::string("data-bin/") + name, workspace_.read(name));
  workspace_.write("data-bin/valid.en", workspace_.read("dev.en"));
  workspace_.write("data-bin/valid.de", workspace_.read("dev.de"));
  const CommandResult trained = run(train() + words("--phrase-table table --data-loader text"));
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const Arguments generate = words("generate --path checkpoints/checkpoint_last --format jsonl");
  EXPECT_THAT(run(generate, "six\n").output, HasSubstr("\"phrases\""));
  workspace_.write("other", "seven ||| sieben ||| numbers ||| 1 ||| 1\n");
  const Arguments other = generate + words("--phrase-table other");
  EXPECT_THAT(run(other, "six\n").output, Not(HasSubstr("\"phrases\"")));
  EXPECT_THAT(run(other, "seven\n").output, HasSubstr("\"phrases\""));
  const CommandResult rejected = run(other + words("data-bin"));
  EXPECT_EQ(rejected.exit_code, kExitUsage);
  EXPECT_THAT(rejected.errors, HasSubstr("DATA has its own phrases"));
}

TEST_F(PhraseMemoryOnTheCommandLine, IsRequiredByTheTask) {
  ASSERT_EQ(run(toy_preprocess()).exit_code, kExitOk);
  const CommandResult rejected = run(train());
  EXPECT_EQ(rejected.exit_code, kExitUsage);
  EXPECT_THAT(rejected.errors,
              AllOf(HasSubstr("there is no phrase memory"), HasSubstr("--phrase-table FILE")));
  const CommandResult plain = run(toy_train("plain", 1) + words("--threads 1"));
  ASSERT_EQ(plain.exit_code, kExitOk) << plain.errors;
  const CommandResult no_use =
      run(words("generate --path plain/checkpoint_last --phrase-table table"), "six\n");
  EXPECT_EQ(no_use.exit_code, kExitUsage);
  EXPECT_THAT(no_use.errors, HasSubstr("the task of the model has no phrase memory"));
}

TEST_F(PhraseMemoryOnTheCommandLine, StopsAtALineThatIsNotAnEntryAndLeavesNothing) {
  workspace_.write("table", "six ||| sechs\n");
  const CommandResult rejected = run(toy_preprocess() + words("--phrase-table table"));
  EXPECT_EQ(rejected.exit_code, kExitData);
  EXPECT_THAT(rejected.errors, HasSubstr("table:1: 2 fields, expected 5"));
  EXPECT_FALSE(workspace_.exists("data-bin"));
}

}  // namespace
}  // namespace phraseq::end_to_end
