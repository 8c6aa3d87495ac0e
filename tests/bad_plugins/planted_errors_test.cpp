// `plugins check` on a library whose components have one error each (planted/planted.cpp).

#include <array>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct CheckOutcome {
  int code = 0;
  std::string text;
};

CheckOutcome check_planted(const std::string& arguments = "") {
  const std::string line =
      PHRASEQ_BUILD_FOLDER "/bin/phraseq plugins check " PLANTED_PLUGIN " " + arguments + " 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  CheckOutcome outcome;
  std::array<char, 4096> block{};
  for (size_t got = 0; (got = fread(block.data(), 1, block.size(), pipe)) > 0;)
    outcome.text.append(block.data(), got);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

/// One run of all checks for all tests: it takes a while.
const CheckOutcome& checked() {
  static const CheckOutcome kOutcome = check_planted();
  return kOutcome;
}

/// The lines about one component.
std::string about(const std::string& component) {
  const std::string& text = checked().text;
  const size_t begin = text.find("  " + component + "\n");
  if (begin == std::string::npos)
    return "nothing about " + component + " in:\n" + text;
  size_t end = text.find('\n', begin) + 1;
  while (text.compare(end, 4, "    ") == 0) end = text.find('\n', end) + 1;
  return text.substr(begin, end - begin);
}

/// A check that failed, and what it says.
::testing::Matcher<std::string> fails(const std::string& title, const std::string& finding) {
  return AllOf(::testing::ContainsRegex(title + " \\.* FAILED"), HasSubstr(finding));
}

TEST(PlantedErrors, LeadToTheExitCodeOfPlugins) {
  EXPECT_EQ(checked().code, 5) << checked().text;
  EXPECT_THAT(checked().text, HasSubstr("checks failed"));
}

TEST(PlantedErrors, AreFoundInATrainableTensorThatIsNotRegistered) {
  EXPECT_THAT(about("architecture planted_unregistered"),
              fails("every trainable tensor is a registered parameter",
                    "a tensor of shape [16] gets a gradient, but it is not a parameter of the "
                    "model: the optimizer would not change it and a checkpoint would not contain "
                    "it; register it with register_parameter"));
}

TEST(PlantedErrors, AreFoundInAParameterThatIsNotUsed) {
  EXPECT_THAT(about("architecture planted_unused"),
              fails("every parameter has an influence on the loss",
                    "unused has no influence on the loss: use it in `forward`"));
}

TEST(PlantedErrors, AreFoundInStepsThatDifferAfterTwentyTokens) {
  const std::string lines = about("architecture planted_late_step");
  EXPECT_THAT(lines,
              fails("long step-by-step decoding gives the scores of a single pass",
                    "step 21 of 60, sentence"));
  EXPECT_THAT(lines, HasSubstr("`step` must compute what `forward` computes for a prefix"));
  EXPECT_THAT(lines,
              Not(::testing::ContainsRegex("    step-by-step decoding gives [^\n]* FAILED")));
}

TEST(PlantedErrors, AreFoundInBatchesThatDifferAfterTwentyTokens) {
  EXPECT_THAT(about("architecture planted_late_batch"),
              fails("a long sentence has the same score alone and in a batch",
                    "token 21 of a translation of 60 tokens"));
}

TEST(PlantedErrors, AreFoundInAModuleThatSaysItMultipliesNothing) {
  const std::string lines = about("architecture planted_no_multiply_adds");
  EXPECT_THAT(lines,
              fails("multiply_adds contains every matrix",
                    "decoder.layers.0.encoder_attn: multiply_adds() is 0 although the module has "
                    "matrices"));
  EXPECT_THAT(lines, HasSubstr("add every matrix of the model"));
}

TEST(PlantedErrors, AreFoundInStateThatModelsShare) {
  EXPECT_THAT(about("architecture planted_shared_state"),
              fails("two models do not disturb each other", "do they share a static variable"));
}

TEST(PlantedErrors, AreFoundInAModelThatRefersToItsOptions) {
  EXPECT_THAT(about("architecture planted_reads_options"),
              fails("a model does not refer to its options", "store a copy"));
}

TEST(PlantedErrors, AreFoundInALikelihoodInBits) {
  EXPECT_THAT(about("criterion planted_bits"),
              fails("losses are in natural logarithms", "it is in base 2 (bits)"));
}

TEST(PlantedErrors, AreFoundInASearchThatIgnoresConstraints) {
  const std::string lines = about("decoder planted_deaf");
  EXPECT_THAT(lines, fails("--min-len is obeyed", "has no effect: sentence 1, tokens "));
  for (const char* option : {"--max-len-b", "--match-source-len", "--prefix-size", "--unkpen"})
    EXPECT_THAT(lines, fails(std::string(option) + " is obeyed", std::string(option)));
  EXPECT_THAT(lines, fails("--lenpen changes scores", "SearchOptions::score"));
  EXPECT_THAT(lines, HasSubstr("constrain every step with constrain_rows"));
}

TEST(PlantedErrors, AreFoundInASearchWithMoreRowsThanAnnounced) {
  EXPECT_THAT(about("decoder planted_wide"),
              fails("the search uses no more rows and steps than it announces",
                    "a sentence has 3 rows, but DecodingLimits::rows_per_sentence is 1"));
}

TEST(PlantedErrors, AreFoundInAMetricWithMoreStatisticsThanAnnounced) {
  EXPECT_THAT(about("metric planted_long_rows"),
              HasSubstr("measure() writes 5 statistics, but statistics() announces 2"));
}

TEST(PlantedErrors, AreFoundInABufferThatThreadsShare) {
  EXPECT_THAT(
      about("tokenizer planted_buffer"),
      fails("threads can encode concurrently", "encode() and decode() may not write to members"));
}

TEST(PlantedErrors, AreFoundInATokenizerThatLosesLetters) {
  EXPECT_THAT(about("tokenizer planted_vowels"),
              fails("decoding restores the letters of the text",
                    "'two men stand at the stove' is decoded as 'tw mn stnd t th stv'"));
}

TEST(PlantedErrors, AreFoundInAScheduleThatCountsCalls) {
  EXPECT_THAT(
      about("lr_scheduler planted_count"),
      HasSubstr("depends on earlier calls: it must be a function of the number of updates"));
}

TEST(PlantedErrors, AreFoundInALoaderThatDropsTheEnd) {
  EXPECT_THAT(about("data_loader planted_short"),
              fails("the corpus contains every pair of the files",
                    "the split has 23 pairs, but size() is 22"));
}

TEST(OptionsOfTheCheck, AreRejectedWhenNoComponentHasThem) {
  const CheckOutcome outcome = check_planted("--set planted-facto=1");
  EXPECT_EQ(outcome.code, 2) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("--set planted-facto=1: expected NAME=VALUE"),
                    HasSubstr("did you mean 'planted-factor'")));
}

TEST(OptionsOfTheCheck, ReachTheComponentsThatHaveThem) {
  const CheckOutcome outcome = check_planted("--set planted-factor=1.5");
  EXPECT_EQ(outcome.code, 5) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("  architecture planted_unused\n"),
                    HasSubstr("  lr_scheduler planted_count\n"),
                    HasSubstr("checks failed")));
}

}  // namespace
