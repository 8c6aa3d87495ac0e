#include "core/io/yaml/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json read(std::string_view text) { return parse_yaml(text, "m.yml"); }

std::string rejection_of_yaml(std::string_view text) {
  try {
    return "accepted as " + read(text).dump();
  } catch (const FormatError& problem) {
    return problem.message();
  }
}

TEST(YamlReader, ReadsTheSettingsOfAModelAsMarianWritesThem) {
  EXPECT_EQ(read("dim-emb: 256\n"
                 "dim-vocabs:\n"
                 "  - 32000\n"
                 "  - 32001\n"
                 "input-types:\n"
                 "  []\n"
                 "skip: false\n"
                 "transformer-postprocess-top: \"\"\n"
                 "version: v1.9.0 1e5c3d1; 2020-02-05 13:13:14  # built by hand\n"),
            json({{"dim-emb", 256},
                  {"dim-vocabs", {32000, 32001}},
                  {"input-types", json::array()},
                  {"skip", false},
                  {"transformer-postprocess-top", ""},
                  {"version", "v1.9.0 1e5c3d1; 2020-02-05 13:13:14"}}));
}

TEST(YamlReader, ReadsNestedBlocks) {
  EXPECT_EQ(
      read("---\n"
           "model:\n"
           "    encoder:\n"
           "        layers: 6\n"
           "\n"
           "    # of the decoder\n"
           "    decoder: {layers: 3, \"type\": transformer, empty: {}}\n"
           "data:\n"
           "- a: 1\n"
           "  b: [x, 'it''s', [2]]\n"
           "-\n"
           "  - c\n"
           "- - d\n"
           "  - e\n"
           "last:\n"),
      json({{"model",
             {{"encoder", {{"layers", 6}}},
              {"decoder", {{"layers", 3}, {"type", "transformer"}, {"empty", json::object()}}}}},
            {"data", {{{"a", 1}, {"b", {"x", "it's", {2}}}}, json::array({"c"}), {"d", "e"}}},
            {"last", nullptr}}));
}

TEST(YamlReader, AcceptsACommaAfterTheLastItem) {
  EXPECT_EQ(read("a: [1, [2, ], ]\nb: {c: 3, }\n"),
            json({{"a", {1, json::array({2})}}, {"b", {{"c", 3}}}}));
  EXPECT_THAT(rejection_of_yaml("a: {b: 1,,}\n"), HasSubstr("the key '' without a value"));
}

TEST(YamlReader, ResolvesPlainScalarsButNotKeys) {
  EXPECT_EQ(read("null: ~\n"
                 "true: True\n"
                 "12: -12\n"
                 "1.5: +1.5e-3\n"
                 "a:b: v1.2\n"
                 "c#d: e#f\n"
                 "no: no\n"
                 "tail: - x\n"),
            json({{"null", nullptr},
                  {"true", true},
                  {"12", -12},
                  {"1.5", 1.5e-3},
                  {"a:b", "v1.2"},
                  {"c#d", "e#f"},
                  {"no", "no"},
                  {"tail", "- x"}}));
}

TEST(YamlReader, ReadsTheEscapesOfVocabularies) {
  EXPECT_EQ(read(R"("\u2581the": 1
"\"": 2
"\x41\U0001F600\u00e4\t\\": 3
'#"': 4
"# : ": 5
"\ud83d\ude00": 6
)"),
            json({{"\u2581the", 1},
                  {"\"", 2},
                  {"A\U0001F600\u00e4\t\\", 3},
                  {"#\"", 4},
                  {"# : ", 5},
                  {"\U0001F600", 6}}));
}

TEST(YamlReader, ReadsJson) { EXPECT_EQ(read(" {\"a\":\n[1]}\n"), json({{"a", {1}}})); }

TEST(YamlReader, WritesTextsThatItReads) {
  for (const std::string text : {"plain", "a\"b\\c", "\u2581\U0001F600", "\x01\t\n", ""})
    EXPECT_EQ(read(quoted_yaml(text)), json(text)) << text;
}

TEST(YamlReader, RejectsWhatItDoesNotSupportWithItsLine) {
  EXPECT_THAT(rejection_of_yaml("a: 1\nb: &x 2\n"), HasSubstr("m.yml:2: '&x 2', a form of YAML"));
  EXPECT_THAT(rejection_of_yaml("a: |\n  text\n"), HasSubstr("m.yml:1: '|'"));
  EXPECT_THAT(rejection_of_yaml("a: !!python/object:os.system x\n"), HasSubstr("m.yml:1"));
  EXPECT_THAT(rejection_of_yaml("? a\n: b\n"), HasSubstr("m.yml:1: an explicit key"));
  EXPECT_THAT(rejection_of_yaml("a: 1\na: 2\n"), HasSubstr("m.yml:2: the key 'a' occurs twice"));
  EXPECT_THAT(rejection_of_yaml("a: 1\n  b: 2\n"), HasSubstr("m.yml:2: the line is indented"));
  EXPECT_THAT(rejection_of_yaml("  a: 1\nb: 2\n"), HasSubstr("m.yml:2: the line does not fit"));
  EXPECT_THAT(rejection_of_yaml("a: [1, 2\n"), HasSubstr("does not end on its line"));
  EXPECT_THAT(rejection_of_yaml("a: [1] 2\n"), HasSubstr("after a value"));
  EXPECT_THAT(rejection_of_yaml("\"a: 1\n"), HasSubstr("without its closing quote"));
  EXPECT_THAT(rejection_of_yaml("a: \"\\q\"\n"), HasSubstr("unknown escape"));
  EXPECT_THAT(rejection_of_yaml("a: \"\\u12\"\n"), HasSubstr("4 hexadecimal digits"));
  EXPECT_THAT(rejection_of_yaml("a: \"\\ud800\"\n"), HasSubstr("U+D800"));
  EXPECT_THAT(rejection_of_yaml("a: \xff\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(rejection_of_yaml(std::string(200, '[')), HasSubstr("nested deeper than 100"));
  std::string deep;
  for (size_t i = 0; i < 150; ++i) deep += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(rejection_of_yaml(deep), HasSubstr("nested deeper than 100"));
}

}  // namespace
}  // namespace phraseq
