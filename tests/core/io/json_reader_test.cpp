#include "core/io/json_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Work>
std::string rejection_of(const Work& work) {
  return message_of<FormatError>(work);
}

std::string nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(ParseJson, ReadsADocument) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": "[[{\"]"}]})", "x")["a"][1]["b"], "[[{\"]");
  EXPECT_EQ(parse_json(nested(100, "[", "]"), "x").size(), 1U);
}

TEST(ParseJson, RefusesWhatIsNestedTooDeep) {
  for (const auto& text : {nested(101, "[", "]"),
                           nested(500'000, "[", "]"),
                           nested(500'000, "{\"a\":", "}"),
                           std::string(500'000, '[')}) {
    EXPECT_THAT(rejection_of([&] { parse_json(text, "file.json"); }),
                StartsWith("file.json: JSON that is nested"));
  }
}

TEST(ParseJson, CountsNoBracketsBehindAnEscapedQuote) {
  EXPECT_EQ(parse_json("[\"\\\"" + std::string(101, '[') + "\"]", "x").size(), 1U);
}

TEST(ParseJson, QuotesOnlyTheBeginningOfTextThatIsNotJson) {
  const std::string message = rejection_of([] { parse_json(std::string(5'000'000, 'x'), "f"); });
  EXPECT_THAT(message, StartsWith("f: not JSON: xxx"));
  EXPECT_LT(message.size(), 300U);
}

TEST(ParseJson, NamesTheLineAndTheColumnOfAnError) {
  EXPECT_THAT(rejection_of([] { parse_json("{\"a\": 1,\n \"b\"; 2}", "f"); }),
              EndsWith("; error at line 2, column 5: ' \"b\";'"));
  EXPECT_THAT(rejection_of([] { parse_json("[1,\n", "f"); }),
              HasSubstr("error at line 2, column 0"));
  EXPECT_THAT(rejection_of([] { parse_json("[1e999]", "f"); }), HasSubstr("f: not JSON: [1e999]"));
  EXPECT_THAT(rejection_of([] { parse_json("", "f"); }), EndsWith("f: not JSON: it is empty"));
  EXPECT_THAT(rejection_of([] { parse_json(std::string_view("{}\0 more", 8), "f"); }),
              HasSubstr("error at line 1, column 2: '{}'"));
}

TEST(ParseJson, RefusesAKeyThatAnObjectHasTwice) {
  EXPECT_EQ(rejection_of([] { parse_json(R"({"a": 1, "a": 1})", "f"); }), "f: 'a' is given twice");
  EXPECT_EQ(rejection_of([] {
              parse_json(
                  R"({"x": {"b": 0}, "a": {"b": [1, {"c": [], "d": {}}, {"c": 2, "\u0063": 3}]}})",
                  "f");
            }),
            "f: 'a.b[2].c' is given twice");
  EXPECT_EQ(rejection_of([] { parse_json(R"([[], {"a": 1, "b": 2, "a": 3}])", "f"); }),
            "f: '[1].a' is given twice");
  EXPECT_EQ(parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "f").size(), 2U);
}

TEST(JsonEntry, ReadsValuesOfTheirTypes) {
  const auto document = parse_json(
      R"({"t": "x", "n": 7, "big": 18446744073709551615, "f": 0.5, "b": true, "l": ["p", "q"]})",
      "w");
  const JsonEntry entry(document, "w");
  EXPECT_EQ(entry.at("t").text(), "x");
  EXPECT_EQ(entry.at("n").whole_number(0, 7), 7);
  EXPECT_EQ(entry.at("n").number(), 7.0);
  EXPECT_EQ(entry.at("f").number(), 0.5);
  EXPECT_TRUE(entry.at("b").truth());
  EXPECT_THAT(entry.at("l").texts(), ElementsAre("p", "q"));
  EXPECT_EQ(entry.members().size(), 6U);
  EXPECT_FALSE(entry.has("z"));
}

TEST(JsonEntry, NamesThePlaceOfTheWrongEntry) {
  const auto document = parse_json(
      R"({"a": {"b": [1, {"c": null}], "n": 8, "m": -1, "big": 18446744073709551615}})", "w");
  const JsonEntry a = JsonEntry(document, "w").at("a");
  EXPECT_EQ(rejection_of([&] { a.at("b").items()[1].at("c").text(); }),
            "w: a.b[1].c: null, expected a text");
  EXPECT_EQ(rejection_of([&] { a.at("x"); }), "w: a: 'x' is missing");
  EXPECT_EQ(rejection_of([&] { a.text(); }), "w: a: an object of 4 entries, expected a text");
  EXPECT_EQ(rejection_of([&] { a.at("n").whole_number(0, 7); }),
            "w: a.n: 8, expected a whole number, 0 to 7");
  EXPECT_THAT(rejection_of([&] { a.at("m").whole_number(0, 7); }), HasSubstr("a.m: -1"));
  EXPECT_THAT(rejection_of([&] { a.at("big").whole_number(); }),
              HasSubstr("expected a whole number"));
  EXPECT_THAT(rejection_of([&] { a.at("n").truth(); }), HasSubstr("expected true or false"));
  EXPECT_THAT(rejection_of([&] { a.at("n").object(); }), HasSubstr("expected an object"));
  EXPECT_THAT(rejection_of([&] { a.at("n").items(); }), HasSubstr("expected a list"));
  EXPECT_THAT(rejection_of([&] { a.at("b").number(); }), HasSubstr("a list of 2 entries"));
}

TEST(JsonEntry, TakesNoBooleanOrFractionForAWholeNumber) {
  for (const char* text : {"true", "1.5", "1e3", "\"1\"", "null", "[]", "{}"}) {
    const auto document = parse_json(text, "w");
    EXPECT_NE(rejection_of([&] { JsonEntry(document, "w").whole_number(); }), kNothingThrown)
        << text;
  }
}

}  // namespace
}  // namespace phraseq
