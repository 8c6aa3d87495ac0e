#include "core/options/option_table.h"

#include <limits>
#include <locale>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/options/option_text.h"
#include "tests/core/options/options_test.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The error that option `name` reports for `text`, or kNothingThrown.
std::string value_complaint(const std::string& name, const std::string& text) {
  Sample sample;
  return message_of<UsageError>(
      [&] { sample.table.find(name)->from_text(text, OptionOrigin::kCommandLine); });
}

TEST(OptionField, ReadsEveryType) {
  Sample sample;
  const auto set = [&](const char* name, const char* text) {
    sample.table.find(name)->from_text(text, OptionOrigin::kCommandLine);
  };
  set("share", "True");
  set("left-pad", "off");
  set("layers", "12");
  set("dropout", "2.5e-1");
  set("format", "jsonl");
  set("update-freq", "4,2,1");
  set("adam-betas", "(0.9, 0.98)");
  set("input", "a b, c\\,d,e\\\\");
  EXPECT_TRUE(sample.options.share);
  EXPECT_FALSE(sample.options.left_pad);
  EXPECT_EQ(sample.options.layers, 12);
  EXPECT_EQ(sample.options.dropout, 0.25);
  EXPECT_EQ(sample.options.format, "jsonl");
  EXPECT_THAT(sample.options.frequency, ElementsAre(4, 2, 1));
  EXPECT_THAT(sample.options.betas, ElementsAre(0.9, 0.98));
  EXPECT_THAT(sample.options.system, ElementsAre("a b", "c,d", "e\\"));
}

TEST(OptionField, ReadsPythonsListsAndEmptyOnes) {
  Sample sample;
  OptionField& frequency = *sample.table.find("update-freq");
  frequency.from_text("[7, 8]", OptionOrigin::kCommandLine);
  EXPECT_THAT(sample.options.frequency, ElementsAre(7, 8));
  frequency.from_text("(9,)", OptionOrigin::kCommandLine);
  EXPECT_THAT(sample.options.frequency, ElementsAre(9));
  frequency.from_text("", OptionOrigin::kCommandLine);
  EXPECT_THAT(sample.options.frequency, IsEmpty());
}

TEST(OptionField, HasAWordAsItsDefault) {
  int64_t size = -1;
  OptionTable table;
  EXPECT_EQ(table.field("size", size, "A size.").at_least(0).word("auto", -1).default_text, "auto");
}

TEST(OptionField, TakesAWordInPlaceOfANumber) {
  int64_t size = 5;
  OptionTable table;
  OptionField& field = table.field("size", size, "A size.").at_least(0).word("auto", -1);
  EXPECT_FALSE(field.holds_word());
  field.from_text("auto", OptionOrigin::kCommandLine);
  EXPECT_EQ(size, -1);
  EXPECT_TRUE(field.holds_word());
  EXPECT_EQ(field.to_text(), "auto");
  EXPECT_EQ(to_json(table).at("size"), "auto");
  field.from_text("7", OptionOrigin::kCommandLine);
  EXPECT_EQ(to_json(table).at("size"), 7);
  from_json(table, {{"size", "auto"}}, OptionOrigin::kCheckpoint);
  EXPECT_EQ(size, -1);
  EXPECT_THROW(field.from_text("-1", OptionOrigin::kCommandLine), UsageError);
  EXPECT_THROW(from_json(table, {{"size", "much"}}, OptionOrigin::kCheckpoint), FormatError);
  try {
    field.from_text("Auto", OptionOrigin::kCommandLine);
    FAIL();
  } catch (const UsageError& failure) {
    EXPECT_EQ(failure.message(), "--size: 'Auto' is not an integer or auto");
  }
  EXPECT_THAT(options_text(table), HasSubstr("at least 0; or auto)"));
  EXPECT_THAT(markdown_text(table, "T", "D"), HasSubstr("| N, at least 0 or auto |"));
}

TEST(OptionField, TakesOnlyWholeValues) {
  EXPECT_EQ(value_complaint("layers", "6x"), "--layers: '6x' is not an integer");
  EXPECT_EQ(value_complaint("layers", "6.0"), "--layers: '6.0' is not an integer");
  EXPECT_EQ(value_complaint("layers", ""), "--layers: '' is not an integer");
  EXPECT_EQ(value_complaint("layers", " 6"), "--layers: ' 6' is not an integer");
  EXPECT_EQ(value_complaint("layers", "99999999999999999999"),
            "--layers: '99999999999999999999' is not an integer");
  EXPECT_EQ(value_complaint("dropout", "0,1"), "--dropout: '0,1' is not a finite number");
  EXPECT_EQ(value_complaint("dropout", "nan"), "--dropout: 'nan' is not a finite number");
  EXPECT_EQ(value_complaint("dropout", "inf"), "--dropout: 'inf' is not a finite number");
  EXPECT_EQ(value_complaint("share", "1"), "--share: '1' is not yes or no");
  EXPECT_EQ(value_complaint("update-freq", "1,,2"), "--update-freq: '' is not an integer");
  EXPECT_EQ(value_complaint("update-freq", "(1,2"), "--update-freq: '(1' is not an integer");
}

TEST(OptionField, ChecksRangesWithBothEndsIncluded) {
  EXPECT_EQ(value_complaint("dropout", "0"), kNothingThrown);
  EXPECT_EQ(value_complaint("dropout", "1"), kNothingThrown);
  EXPECT_EQ(value_complaint("dropout", "1.01"), "--dropout: 1.01 is out of range, expected 0 to 1");
  EXPECT_EQ(value_complaint("layers", "0"), "--layers: 0 is out of range, expected 1 to 99");
  EXPECT_EQ(value_complaint("update-freq", "2,0"),
            "--update-freq: 0 is out of range, expected 1 to 2147483647");
  EXPECT_EQ(value_complaint("adam-betas", "0.9,-1"),
            "--adam-betas: -1 is out of range, expected 0 to 1");
}

TEST(OptionField, GuessesTheChoiceThatWasMeant) {
  EXPECT_EQ(value_complaint("format", "fairsek"),
            "--format: 'fairsek' is not one of plain, fairseq, jsonl; did you mean 'fairseq'?");
  EXPECT_EQ(value_complaint("format", "xml"),
            "--format: 'xml' is not one of plain, fairseq, jsonl");
}

TEST(OptionField, ListsOnlyChoicesThatHaveAName) {
  std::string order;
  OptionTable table;
  table.field("order", order, "Order.").one_of({"", "ordered", "unordered"});
  EXPECT_EQ(message_of([&] { table.find("order")->from_text("x", OptionOrigin::kCommandLine); }),
            "--order: 'x' is not one of ordered, unordered");
}

TEST(OptionField, TakesADashForAnUnderscoreInAChoice) {
  std::string scheme;
  OptionTable table;
  table.field("scheme", scheme, "Scheme.").one_of({"subword_nmt", "bits-64", "none"});
  OptionField& field = *table.find("scheme");
  field.from_text("subword-nmt", OptionOrigin::kCommandLine);
  EXPECT_EQ(scheme, "subword_nmt");
  field.from_text("bits_64", OptionOrigin::kCommandLine);
  EXPECT_EQ(scheme, "bits-64");
  EXPECT_THROW(field.from_text("no-ne", OptionOrigin::kCommandLine), UsageError);
}

TEST(OptionField, KeepsItsValueWhenATextIsRejected) {
  Sample sample;
  OptionField& betas = *sample.table.find("adam-betas");
  EXPECT_THROW(betas.from_text("0.5,x", OptionOrigin::kCommandLine), UsageError);
  EXPECT_THAT(sample.options.betas, ElementsAre(0.9, 0.999));
  EXPECT_EQ(betas.origin, OptionOrigin::kDefault);
}

TEST(OptionField, WritesWhatItReadsBack) {
  Sample sample;
  sample.options.dropout = 0.1 + 0.2;  // needs all 17 digits
  sample.options.betas = {1e-300, 1.0 / 3};
  sample.options.system = {"a,b", "c\\", ""};
  sample.options.share = true;
  for (const char* name : {"dropout", "adam-betas", "input", "share", "update-freq"}) {
    const std::string text = sample.table.find(name)->to_text();
    Sample other;
    other.table.find(name)->from_text(text, OptionOrigin::kConfigFile);
    EXPECT_EQ(other.table.find(name)->to_text(), text) << name;
  }
  EXPECT_EQ(sample.table.find("dropout")->to_text(), "0.30000000000000004");
  EXPECT_EQ(sample.table.find("input")->to_text(), "a\\,b,c\\\\,");
}

/// Numbers in the German notation.
struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(OptionField, DoesNotDependOnTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new GermanNumbers));
  EXPECT_EQ(value_complaint("dropout", "0.5"), kNothingThrown);
  EXPECT_EQ(value_complaint("update-freq", "1000000"), kNothingThrown);
  Sample sample;
  sample.options.layers = 1000000;
  EXPECT_EQ(sample.table.find("dropout")->to_text(), "0.1");
  EXPECT_EQ(sample.table.find("layers")->to_text(), "1000000");
  std::locale::global(before);
}

TEST(OptionTable, FindsByNameAliasAndEitherSpelling) {
  Sample sample;
  EXPECT_EQ(sample.table.find("left-pad")->name, "left-pad");
  EXPECT_EQ(sample.table.find("left_pad")->name, "left-pad");
  EXPECT_EQ(sample.table.find("depth")->name, "layers");
  EXPECT_EQ(sample.table.find("width"), nullptr);
}

TEST(OptionTable, RemembersDefaultAndSection) {
  Sample sample;
  OptionField& layers = *sample.table.find("layers");
  layers.from_text("3", OptionOrigin::kCheckpoint);
  EXPECT_EQ(layers.default_text, "6");
  EXPECT_EQ(layers.to_text(), "3");
  EXPECT_EQ(to_string(layers.origin), "checkpoint");
  EXPECT_EQ(layers.section, "Model");
  EXPECT_EQ(sample.table.find("format")->section, "Output");
}

TEST(OptionTable, RejectsANameThatIsDescribedTwice) {
  Sample sample;
  double other = 0;
  sample.table.section("Criterion");
  EXPECT_THAT(message_of([&] { sample.table.field("dropout", other, "Again."); }),
              HasSubstr("--dropout is defined twice: in 'Model' and in 'Criterion'"));
}

TEST(OptionTable, BoundsEveryIntegerButSeeds) {
  int64_t count = 0, seed = 0;
  std::vector<int64_t> list;
  OptionTable table;
  table.field("count", count, "Without a range.").at_least(-5);
  table.field("list", list, "Without a range.");
  table.field("seed", seed, "Any integer.");
  for (const char* value :
       {"9223372036854775807", "-9223372036854775808", "1000000000000000", "2147483648"}) {
    for (const char* name : {"count", "list"})
      EXPECT_THROW(table.find(name)->from_text(value, OptionOrigin::kCommandLine), UsageError);
  }
  table.find("count")->from_text("2147483647", OptionOrigin::kCommandLine);
  EXPECT_EQ(count, 2147483647);
  EXPECT_THROW(table.find("count")->from_text("-6", OptionOrigin::kCommandLine), UsageError);
  table.find("seed")->from_text("9223372036854775807", OptionOrigin::kCommandLine);
  EXPECT_EQ(seed, std::numeric_limits<int64_t>::max());
}

TEST(OptionTable, QuotesLittleOfALongValue) {
  int64_t count = 0;
  OptionTable table;
  OptionField& field = table.field("count", count, "A number.");
  try {
    field.from_text(std::string(5'000'000, 'x'), OptionOrigin::kCommandLine);
    ADD_FAILURE();
  } catch (const UsageError& failure) {
    EXPECT_LT(failure.message().size(), 400U);
  }
}

}  // namespace
}  // namespace phraseq
