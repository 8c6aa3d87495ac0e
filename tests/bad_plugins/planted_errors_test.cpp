// `plugins check` on a library whose components have one error each (planted/planted.cpp).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/shell.h"

namespace {

using phraseq::testing::Outcome;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Outcome check_planted(const std::string& arguments = "") {
  return phraseq::testing::shell(
      PHRASEQ_BUILD_FOLDER "/bin/phraseq plugins check " PLANTED_PLUGIN " " + arguments);
}

/// The lines of the output about one component.
std::string about(const std::string& component, const std::string& text) {
  const size_t begin = text.find("  " + component + "\n");
  if (begin == std::string::npos)
    return "nothing about " + component + " in:\n" + text;
  size_t end = text.find('\n', begin) + 1;
  while (text.compare(end, 4, "    ") == 0) end = text.find('\n', end) + 1;
  return text.substr(begin, end - begin);
}

/// Matches a failed check and its finding.
::testing::Matcher<std::string> fails(const std::string& title, const std::string& finding) {
  return AllOf(ContainsRegex(title + " \\.* FAILED"), HasSubstr(finding));
}

using Lines = ::testing::Matcher<std::string>;

/// A component and what the lines about it must contain.
struct Planted {
  const char* component;
  Lines lines;
};

const std::vector<Planted>& planted() {
  static const std::vector<Planted> kPlanted = {
      {"architecture planted_unregistered",
       fails("every trainable tensor is a registered parameter",
             "a tensor of shape [16] gets a gradient, but it is not a parameter of the model: the "
             "optimizer would not change it and a checkpoint would not contain it; register it "
             "with register_parameter")},
      {"architecture planted_unused",
       fails("every parameter has an influence on the loss",
             "unused has no influence on the loss: use it in `forward`")},
      {"architecture planted_late_step",
       AllOf(fails("long step-by-step decoding gives the scores of a single pass",
                   "step 21 of 60, sentence"),
             HasSubstr("`step` must compute what `forward` computes for a prefix"),
             Not(ContainsRegex("    step-by-step decoding gives [^\n]* FAILED")))},
      {"architecture planted_late_batch",
       fails("a long sentence has the same score alone and in a batch",
             "token 21 of a translation of 60 tokens")},
      {"architecture planted_no_multiply_adds",
       AllOf(fails("multiply_adds contains every matrix",
                   "decoder.layers.0.encoder_attn: multiply_adds() is 0 although the module has "
                   "matrices"),
             HasSubstr("add every matrix of the model"))},
      {"architecture planted_few_multiply_adds",
       AllOf(ContainsRegex("multiply_adds contains every matrix \\.* FAILED"),
             ContainsRegex("multiply_adds\\(10, 10\\) is [0-9]+, but a pass over 10 source and 10 "
                           "target tokens multiplies rows with parameters [0-9]+ times"))},
      {"architecture planted_scratch",
       fails("threads can use one model at the same time",
             "threads that use one model at the same time get other results than one alone: a pass "
             "may not write to members of the model")},
      {"architecture planted_crash",
       AllOf(HasSubstr("it ended the process of the check (signal 11, Segmentation fault)"),
             ContainsRegex("multiply_adds contains every matrix \\.* ok"))},
      {"architecture planted_shared_state",
       fails("two models do not disturb each other", "do they share a static variable")},
      {"architecture planted_reads_options",
       fails("a model does not refer to its options", "store a copy")},
      {"criterion planted_bits",
       fails("losses are in natural logarithms", "it is in base 2 (bits)")},
      {"decoder planted_deaf",
       AllOf(fails("--min-len is obeyed", "has no effect: sentence 1, tokens "),
             fails("--max-len-b is obeyed", "--max-len-b"),
             fails("--match-source-len is obeyed", "--match-source-len"),
             fails("--prefix-size is obeyed", "--prefix-size"),
             fails("--unkpen is obeyed", "--unkpen"),
             fails("--lenpen changes scores", "SearchOptions::score"),
             HasSubstr("constrain every step with constrain_rows"))},
      {"decoder planted_wide",
       fails("the search uses no more rows and steps than it announces",
             "a sentence has 3 rows, but DecodingLimits::rows_per_sentence is 1")},
      {"metric planted_long_rows",
       HasSubstr("measure() writes 5 statistics, but statistics() announces 2")},
      {"metric planted_nan",
       AllOf(
           fails("statistics and scores are finite", "score() is nan: a finite number is expected"),
           Not(HasSubstr("threads")))},
      {"metric planted_rejecting",
       HasSubstr("      threw: the sentence has no tree\n        Parse it.\n")},
      {"tokenizer planted_buffer",
       fails("threads can encode concurrently", "encode() and decode() may not write to members")},
      {"tokenizer planted_vowels",
       fails("decoding restores the letters of the text",
             "'two men stand at the stove' is decoded as 'tw mn stnd t th stv'")},
      {"lr_scheduler planted_count",
       HasSubstr("depends on earlier calls: it must be a function of the number of updates")},
      {"data_loader planted_short",
       AllOf(fails("the corpus contains every pair of the files",
                   "the split has 23 pairs, but size() is 22"),
             fails("text is segmented at random, or a request for it is rejected",
                   "two epochs have the same sentences"))},
  };
  return kPlanted;
}

/// A single test, because ctest runs each test in a new process and the checks take a while.
TEST(PlantedErrors, AreFound) {
  const Outcome checked = check_planted();
  EXPECT_EQ(checked.code, 5) << checked.text;
  EXPECT_THAT(checked.text,
              AllOf(HasSubstr("checks failed"), HasSubstr("docs/handbook/checks.md")));
  EXPECT_THAT(checked.text, Not(HasSubstr("RecordFunction")));  // no warning from LibTorch
  for (const auto& [component, lines] : planted())
    EXPECT_THAT(about(component, checked.text), lines);
}

TEST(OptionsOfTheCheck, AreRejectedWhenNoComponentHasThem) {
  const Outcome outcome = check_planted("--set planted-facto=1");
  EXPECT_EQ(outcome.code, 2) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("--set planted-facto=1: expected NAME=VALUE"),
                    HasSubstr("did you mean 'planted-factor'")));
}

TEST(OptionsOfTheCheck, SayHowAValueContainsAComma) {
  const Outcome outcome = check_planted("--set planted-factor=1,5");
  EXPECT_EQ(outcome.code, 2) << outcome.text;
  EXPECT_THAT(
      outcome.text,
      AllOf(HasSubstr("--set 5: expected NAME=VALUE"), HasSubstr("within a value, write '\\,'.")));
}

/// The library's other components do not have the option.
TEST(OptionsOfTheCheck, ReachTheComponentsThatHaveThem) {
  const Outcome outcome = check_planted("--kind lr_scheduler --set planted-factor=1.5");
  EXPECT_EQ(outcome.code, 5) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("  lr_scheduler planted_count\n"), HasSubstr("checks failed")));
}

}  // namespace
