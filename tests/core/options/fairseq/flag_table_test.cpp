#include "core/options/fairseq/flag_table.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/options/fairseq/component_names.h"
#include "tests/support/file_content.h"

namespace phraseq::fairseq {
namespace {

std::string values_text(Values values) {
  switch (values) {
    case Values::kNone:
      return "0";
    case Values::kOne:
      return "1";
    case Values::kOptional:
      return "?";
    case Values::kList:
      return "*";
  }
  return "";
}

/// "--names -n VALUES" for every flag of a command.
std::multiset<std::string> ours(char command) {
  std::multiset<std::string> found;
  for (const Flag& flag : flags()) {
    if (flag.commands.find(command) != std::string_view::npos)
      found.insert(fmt::format("{} {}", flag.names, values_text(flag.values)));
  }
  return found;
}

TEST(FlagTable, HasExactlyTheFlagsOfFairseqsOwnParsers) {
  std::ifstream stream(PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_flags/flags.json");
  const auto commands = nlohmann::json::parse(stream);
  ASSERT_EQ(commands.size(), 7U);
  for (const auto& [command, list] : commands.items()) {
    std::multiset<std::string> expected;
    for (const auto& flag : list) {
      expected.insert(fmt::format("{} {}",
                                  fmt::join(flag.at("flags").get<std::vector<std::string>>(), " "),
                                  flag.at("values").get<std::string>()));
    }
    EXPECT_EQ(ours(command.front()), expected) << command;
  }
}

/// The page of a command's options, which names each as "`--beam`".
std::string options_page(const std::string& command) {
  return content_of(PHRASEQ_SOURCE_FOLDER "/docs/options/phraseq-" + command + ".md");
}

/// The names --a and --b in "--a -x --b".
std::vector<std::string> long_names(std::string_view names) {
  std::istringstream stream{std::string(names)};
  std::vector<std::string> found;
  for (std::string name; stream >> name;) {
    if (name.starts_with("--"))
      found.push_back(name);
  }
  return found;
}

TEST(FlagTable, MarksEveryFlagThatIsAnOptionOfTheCommandAsTheSame) {
  for (const std::string command :
       {"train", "generate", "interactive", "preprocess", "validate", "score", "eval-lm"}) {
    const std::string page = options_page(command);
    ASSERT_FALSE(page.empty()) << command;
    for (const Flag& flag : flags()) {
      if (flag.support == Support::kSame || flag.commands.find(command[0]) == std::string::npos)
        continue;
      for (const std::string& name : long_names(flag.names))
        EXPECT_EQ(page.find("`" + name + "`"), std::string::npos) << command << " " << name;
    }
  }
}

TEST(FlagTable, GivesAReasonForEveryFlagThatIsNotSupported) {
  for (const Flag& flag : flags()) {
    const bool needs_reason = flag.support == Support::kNoEffect ||
                              flag.support == Support::kDefaultOnly ||
                              flag.support == Support::kRejected;
    if (needs_reason) {  // others may have a condition
      EXPECT_FALSE(flag.reason.empty()) << flag.names;
    }
    const bool has_form =
        flag.support == Support::kRenamed || flag.support == Support::kDefaultOnly;
    EXPECT_EQ(flag.ours.empty(), !has_form) << flag.names;
  }
}

TEST(FlagTable, KnowsOptionsOfTrainingThatAModelDoesNotNeed) {
  for (const char* option : {"eval_bleu", "eval-bleu", "lr", "left_pad_source", "num_workers"})
    EXPECT_TRUE(is_only_of_training(option)) << option;
  for (const char* option : {"evil_bleu", "", "adaptive_input", "quant_noise_pq", "encoder_layers"})
    EXPECT_FALSE(is_only_of_training(option)) << option;
}

TEST(FairseqsComponents, ThatAreMissingHaveAReason) {
  EXPECT_EQ(reason_without("architecture", "lstm_luong_wmt_en_de"),
            "there is no LSTM model; rnnsearch is the recurrent architecture, with GRU units");
  EXPECT_EQ(reason_without("architecture", "lstm_lm"),
            "there is no LSTM model; transformer_lm models languages");
  EXPECT_EQ(reason_without("criterion", "adaptive_loss"),
            "there is no adaptive softmax; cross_entropy is the loss of the whole vocabulary");
  EXPECT_EQ(
      reason_without("architecture", "transformer_lm_wiki103"),
      "there are no adaptive inputs and outputs; transformer_lm_big and transformer_lm_gpt are "
      "available");
  EXPECT_TRUE(reason_without("architecture", "transformer_lm/transformer_lm_gpt").empty());
  EXPECT_TRUE(reason_without("task", "language_modeling").empty());
  EXPECT_FALSE(reason_without("optimizer", "lamb").empty());
  EXPECT_TRUE(reason_without("architecture", "transformer_iwslt_de_en").empty());
  EXPECT_TRUE(reason_without("optimizer", "lstm").empty());
}

}  // namespace
}  // namespace phraseq::fairseq
