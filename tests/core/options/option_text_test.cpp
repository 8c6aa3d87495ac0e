#include "core/options/option_text.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/options/command_line.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/core/options/options_test.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(HelpText, ShowsNamesValuesDefaultsAndRangesBySection) {
  Sample sample;
  EXPECT_EQ(help_text(sample.table, "phraseq sample [OPTIONS]", "A sample."),
            R"(Usage: phraseq sample [OPTIONS]

A sample.

Model:
  --share                     Share the embeddings. (default no)
  --left-pad                  Pad at the left. (default yes)
  -l, --layers N              Number of layers. (default 6; 1 to 99; also --depth)
  --dropout X                 Dropout probability. (default 0.1; 0 to 1)

Output:
  --format plain|fairseq|jsonl
                              How to print. (default plain)
  -bpe, --remove-bpe [TEXT]   Joins subwords. (without a value '@@ ')
  --update-freq N,...         Number of batches per update. (default 1; at least 1)
  --adam-betas X,...          Decays. (default 0.9,0.999; 0 to 1)
  -i, --input FILE            Systems.
)");
}

TEST(HelpText, ListsNoChoiceWithoutAName) {
  OptionTable table;
  std::string alignment;
  OptionField& field = table.field("print-alignment", alignment, "Print it.");
  field.one_of({"", "hard", "soft"}).bare_value("hard");
  EXPECT_THAT(options_text(table), HasSubstr("--print-alignment [hard|soft]"));
  EXPECT_THAT(markdown_text(table, "sample", ""),
              HasSubstr("| `--print-alignment` | hard, soft |  |"));
  field.value_name("HOW");
  EXPECT_THAT(options_text(table), HasSubstr("(one of hard, soft; without a value 'hard')"));
}

TEST(HelpText, WrapsLongHelpAtAHundredColumns) {
  OptionTable table;
  int64_t value = 1;
  const std::string help = "words " + std::string(80, 'x') + " more words that follow";
  table.field("number", value, help);
  std::istringstream lines(options_text(table));
  size_t longest = 0;
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    longest = std::max(longest, line.size());
  EXPECT_EQ(count, 5u);      // an empty line, the heading, and three lines of text
  EXPECT_EQ(longest, 110u);  // a word too long for any line has one for itself
}

TEST(PrintConfig, IsReadBackAsAConfigurationFile) {
  Sample sample;
  parse_command_line(
      sample.table,
      std::vector<std::string>{
          "--dropout", "0.3", "--remove-bpe", "--share", "--input", "a\\,b", "c # d"});
  const std::string text = print_config(sample.table);
  EXPECT_THAT(text,
              AllOf(HasSubstr("[Model]\nshare = yes  # command line\n"),
                    HasSubstr("dropout = 0.3  # command line\n"),
                    HasSubstr("\n# layers = 6  # default\n"),
                    HasSubstr("remove-bpe = \"@@ \"  #")));
  const TemporaryFolder folder;
  Sample other;
  parse_command_line(other.table,
                     std::vector<std::string>{"--config", folder.write("print_config.ini", text)});
  EXPECT_EQ(to_json(other.table), to_json(sample.table));
  EXPECT_EQ(other.table.find("layers")->origin, OptionOrigin::kDefault);
  EXPECT_EQ(other.table.find("dropout")->origin, OptionOrigin::kConfigFile);
}

TEST(MarkdownText, MakesOneTablePerSection) {
  Sample sample;
  EXPECT_THAT(
      markdown_text(sample.table, "sample", "A sample."),
      AllOf(testing::StartsWith("# sample\n\nA sample.\n\n## Model\n\n| option | value |"),
            HasSubstr("| `-l` `--layers` `--depth` | N, 1 to 99 | `6` | Number of layers. |\n"),
            HasSubstr("| `--format` | plain, fairseq, jsonl | `plain` | How to print. |\n")));
}

TEST(OptionsAsJson, HaveTheirTypesAndUnderscores) {
  Sample sample;
  sample.options.system = {"a"};
  EXPECT_EQ(to_json(sample.table),
            json::parse(R"({"share": false, "left_pad": true, "layers": 6, "dropout": 0.1,
                            "format": "plain", "remove_bpe": "", "update_freq": [1],
                            "adam_betas": [0.9, 0.999], "input": ["a"]})"));
  EXPECT_EQ(to_json(sample.table, true)["layers"],
            json::parse(R"({"value": 6, "origin": "default"})"));
}

TEST(OptionsAsJson, AreReadBackWithOrWithoutTheirOrigin) {
  Sample sample;
  sample.options.layers = 9;
  sample.options.betas = {0.25};
  sample.options.system = {"a,b"};
  for (const bool with_origin : {false, true}) {
    Sample other;
    from_json(other.table, to_json(sample.table, with_origin), OptionOrigin::kCheckpoint);
    EXPECT_EQ(to_json(other.table), to_json(sample.table));
    EXPECT_EQ(other.table.find("layers")->origin, OptionOrigin::kCheckpoint);
  }
}

TEST(OptionsAsJson, ReportAllThatDoesNotFit) {
  Sample sample;
  const auto recorded = json::parse(
      R"({"layrs": 3, "layers": "six", "dropout": 4, "share": 1, "adam_betas": [0.5, "x"], "format": null})");
  EXPECT_THAT(message_of([&] { from_json(sample.table, recorded, OptionOrigin::kCheckpoint); }),
              AllOf(HasSubstr("unknown option 'layrs'; did you mean 'layers'?"),
                    HasSubstr("layers: \"six\" is not an integer"),
                    HasSubstr("dropout: --dropout: 4 is out of range"),
                    HasSubstr("share: 1 is not yes or no"),
                    HasSubstr("adam_betas: \"x\" is not a finite number"),
                    HasSubstr("format: null is not a string")));
  EXPECT_THROW(from_json(sample.table, recorded, OptionOrigin::kCheckpoint), FormatError);
  EXPECT_THROW(from_json(sample.table, json::array(), OptionOrigin::kCheckpoint), FormatError);
}

TEST(Differences, NameTheOldAndTheNewValue) {
  Sample sample;
  const json recorded = to_json(sample.table);
  EXPECT_THAT(differences(sample.table, recorded), IsEmpty());
  sample.options.layers = 7;
  sample.options.betas = {0.9, 0.98};
  sample.options.system = {"elsewhere"};  // does not change results
  EXPECT_THAT(differences(sample.table, recorded),
              ElementsAre("layers: was 6, now 7", "adam-betas: was [0.9,0.999], now [0.9,0.98]"));
}

TEST(Differences, PassOverANewOptionThatIsNotUsed) {
  Sample sample;
  json recorded = to_json(sample.table, true);
  recorded.erase("layers");
  EXPECT_THAT(differences(sample.table, recorded), IsEmpty());
  sample.options.layers = 8;
  EXPECT_THAT(differences(sample.table, recorded), ElementsAre("layers: was not recorded, now 8"));
}

}  // namespace
}  // namespace phraseq
