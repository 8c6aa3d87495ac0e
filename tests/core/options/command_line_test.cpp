#include "core/options/command_line.h"

#include <array>
#include <string_view>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"
#include "tests/core/options/options_test.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

SampleOptions parsed(const Arguments& arguments) {
  Sample sample;
  parse_command_line(sample.table, arguments, [&] { return sample.options.problems(); });
  return sample.options;
}

std::string complaint(const Arguments& arguments) {
  return message_of([&] { parsed(arguments); });
}

/// A file that is removed at the end of the test.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& content) : path_(folder_.write("config.ini", content)) {}
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

TEST(CommandLine, TakesValuesAfterTheNameAndJoinedToIt) {
  const auto options = parsed({"--layers", "3", "--dropout=0.5"});
  EXPECT_EQ(options.layers, 3);
  EXPECT_EQ(options.dropout, 0.5);
}

TEST(CommandLine, TakesUnderscoresAliasesAndShortFlags) {
  EXPECT_EQ(parsed({"--adam_betas", "0.1,0.2"}).betas[1], 0.2);
  EXPECT_EQ(parsed({"--depth=4"}).layers, 4);
  EXPECT_EQ(parsed({"-l", "5"}).layers, 5);
  EXPECT_EQ(parsed({"-bpe", "sentencepiece"}).remove_bpe, "sentencepiece");
}

TEST(CommandLine, ReadsBooleansInEverySpelling) {
  EXPECT_TRUE(parsed({"--share"}).share);
  EXPECT_TRUE(parsed({"--left-pad"}).left_pad);  // a flag without a value never means "off"
  EXPECT_FALSE(parsed({"--no-left-pad"}).left_pad);
  EXPECT_FALSE(parsed({"--no_left_pad"}).left_pad);
  EXPECT_FALSE(parsed({"--left-pad", "False"}).left_pad);
  EXPECT_FALSE(parsed({"--left-pad=no"}).left_pad);
  EXPECT_TRUE(parsed({"--share", "on"}).share);
  EXPECT_THAT(complaint({"--left-pad=maybe"}), HasSubstr("'maybe' is not yes or no"));
  EXPECT_THAT(complaint({"--no-left-pad=yes"}), HasSubstr("unknown option --no-left-pad"));
}

TEST(CommandLine, DoesNotTakeTheWordAfterABooleanForItsValue) {
  EXPECT_THAT(complaint({"--share", "data-bin"}), HasSubstr("unexpected argument 'data-bin'"));
}

TEST(CommandLine, TakesNegativeNumbersAsValues) {
  Sample sample;
  int64_t patience = 0;
  sample.table.field("patience", patience, "Validations without progress.");
  parse_command_line(sample.table, Arguments{"--patience", "-1"});
  EXPECT_EQ(patience, -1);
  EXPECT_THAT(complaint({"--dropout", "-.5e1"}), HasSubstr("-.5e1 is out of range"));
}

TEST(CommandLine, TakesAListThatBeginsWithANegativeNumberAsAValue) {
  Sample sample;
  std::vector<int64_t> edges;
  double temperature = 0;
  sample.table.field("edges", edges, "Edges of buckets.");
  sample.table.field("temperature", temperature, "Of sampling.");
  parse_command_line(sample.table, Arguments{"--edges", "-1,2", "--temperature", "-.5"});
  EXPECT_THAT(edges, ElementsAre(-1, 2));
  EXPECT_EQ(temperature, -.5);
  EXPECT_THAT(complaint({"--layers", "-1,2"}), HasSubstr("--layers: '-1,2' is not an integer"));
  EXPECT_THAT(complaint({"--edgs", "-1,2"}), Not(HasSubstr("unknown option -1,2")));
  EXPECT_THAT(complaint({"--update-freq", "-l,2"}), HasSubstr("--update-freq: a value is missing"));
}

TEST(CommandLine, SaysWhereAnUnknownOptionBelongs) {
  const ConfigFile file("label_smoothing = 0.1\nlayrs = 3\n");
  const ExplainOption explain = [](const std::string& name) {
    return std::string(name == "label-smoothing" ? "it is an option of --criterion a" : "");
  };
  Sample sample;
  const std::string message = message_of([&] {
    parse_command_line(sample.table,
                       Arguments{"--label_smoothing", "0.1", "--config", file.path()},
                       /*more_problems=*/{},
                       explain);
  });
  EXPECT_THAT(
      message,
      AllOf(HasSubstr("unknown option --label_smoothing; it is an option of --criterion a"),
            HasSubstr("1: unknown option 'label_smoothing'; it is an option of --criterion a"),
            HasSubstr("2: unknown option 'layrs'; did you mean 'layers'?")));
}

TEST(CommandLine, GivesABareFlagItsBareValue) {
  EXPECT_EQ(parsed({"--remove-bpe"}).remove_bpe, "@@ ");
  EXPECT_EQ(parsed({"--remove-bpe", "--share"}).remove_bpe, "@@ ");
  EXPECT_EQ(parsed({"--remove-bpe=_"}).remove_bpe, "_");
  EXPECT_EQ(parsed({"--remove-bpe="}).remove_bpe, "");
  EXPECT_EQ(parsed({"--remove-bpe=--share"}).remove_bpe, "--share");
}

TEST(CommandLine, GathersAListOfStringsUpToTheNextFlag) {
  EXPECT_THAT(parsed({"-i", "a", "b,c", "--share", "-i", "d"}).system,
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(parsed({"-i", "a", "b", "c", "d", "--share"}).system,
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(parsed({"--input=a"}).system, ElementsAre("a"));
}

TEST(CommandLine, LetsTheLastOfASingleValueWin) {
  EXPECT_EQ(parsed({"--layers", "3", "--layers", "4"}).layers, 4);
  EXPECT_THAT(parsed({"--update-freq", "3,4", "--update-freq", "5"}).frequency, ElementsAre(5));
}

TEST(CommandLine, HandsOutArgumentsWithoutAFlagInOrder) {
  struct {
    std::string reference, output = "none";
    std::vector<std::string> rest;
    bool quiet = false;
  } options;
  OptionTable table;
  table.field("reference", options.reference, "Truth.").positional().required();
  table.field("quiet", options.quiet, "Say little.");
  table.field("output", options.output, "Where to.").positional();
  table.field("rest", options.rest, "More.").positional();
  parse_command_line(table, Arguments{"a,b", "--quiet", "-", "c,d", "--", "--quiet", "-5"});
  EXPECT_EQ(options.reference, "a,b");
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.output, "-");
  EXPECT_THAT(options.rest, ElementsAre("c,d", "--quiet", "-5"));
}

TEST(CommandLine, NamesAMissingArgumentByTheNameOfItsValue) {
  OptionTable table;
  std::string reference;
  table.field("reference", reference, "Truth.").positional().required().value_name("REFERENCE");
  EXPECT_EQ(message_of([&] { parse_command_line(table, Arguments{}); }),
            "REFERENCE is missing: Truth.");
  // The unknown option may have taken the argument as its value, so only that option is reported.
  EXPECT_EQ(message_of([&] {
              parse_command_line(table, Arguments{"--quite", "a"});
            }),
            "unknown option --quite");
}

TEST(CommandLine, NamesTheListThatTookAMissingArgument) {
  const auto complaint_about = [](const Arguments& arguments) {
    OptionTable table;
    std::string data;
    std::vector<std::string> folders;
    table.field("data", data, "Folder.").positional().required().value_name("DATA");
    table.field("plugin-dir", folders, "Folders of plugins.");
    return message_of([&] { parse_command_line(table, arguments); });
  };
  EXPECT_EQ(
      complaint_about({"--plugin-dir", "lib", "data-bin"}),
      "DATA is missing: Folder. Is it 'data-bin'? --plugin-dir took it, with all values up to "
      "the next option.");
  EXPECT_EQ(complaint_about({"--plugin-dir", "lib"}), "DATA is missing: Folder.");
  EXPECT_EQ(complaint_about({"--plugin-dir", "lib,more"}), "DATA is missing: Folder.");
}

TEST(CommandLine, ReportsAnEmptyRequiredOptionAsMissing) {
  OptionTable table;
  std::string arch;
  table.field("arch", arch, "Which model.").required();
  EXPECT_EQ(message_of([&] { parse_command_line(table, Arguments{"--arch="}); }),
            "--arch is missing: Which model.");
}

TEST(CommandLine, ReportsARejectedValueOfARequiredOptionOnce) {
  OptionTable table;
  std::string kind, output;
  table.field("kind", kind, "Kind.").one_of({"task", "metric"}).required();
  table.field("output", output, "Where to.").required();
  EXPECT_EQ(message_of([&] {
              parse_command_line(table, Arguments{"--kind", "metrics", "--output", "x"});
            }),
            "--kind: 'metrics' is not one of task, metric; did you mean 'metric'?");
  OptionTable again;
  again.field("kind", kind, "Kind.").one_of({"task", "metric"}).required();
  EXPECT_EQ(message_of([&] { parse_command_line(again, Arguments{"--kind"}); }),
            "--kind: a value is missing");
}

TEST(CommandLine, ReportsEveryProblemAtOnce) {
  const std::string text = complaint({"--dropot",
                                      "0.1",
                                      "--layers",
                                      "many",
                                      "--dropout",
                                      "7",
                                      "--adam-betas",
                                      "0.9",
                                      "extra",
                                      "--format"});
  EXPECT_THAT(text, StartsWith("5 problems with the options:"));
  EXPECT_THAT(text,
              AllOf(HasSubstr("unknown option --dropot; did you mean '--dropout'?"),
                    HasSubstr("--layers: 'many' is not an integer"),
                    HasSubstr("--dropout: 7 is out of range"),
                    HasSubstr("unexpected argument 'extra'"),
                    HasSubstr("--format: a value is missing")));
}

TEST(CommandLine, ReportsContradictionsWithTheRest) {
  EXPECT_EQ(complaint({"--share", "--layers", "2"}), "--share cannot be combined with --layers 2");
  EXPECT_THAT(complaint({"--share", "--layers", "2", "--nothing"}),
              AllOf(HasSubstr("--share cannot be combined with"), HasSubstr("--nothing")));
}

TEST(CommandLine, FailsWithExitTwo) {
  try {
    parsed({"--nothing"});
    FAIL() << "nothing was thrown";
  } catch (const UsageError& failure) {
    EXPECT_EQ(failure.exit_code(), kExitUsage);
    EXPECT_EQ(failure.hint(), "--help lists the options.");
  }
}

TEST(CommandLine, DoesNotGuessFromABeginning) {
  EXPECT_THAT(complaint({"--drop", "0.5"}), HasSubstr("did you mean '--dropout'?"));
  EXPECT_THAT(complaint({"-layers", "3"}),
              HasSubstr("unknown option -layers; did you mean '--layers'?"));
}

TEST(CommandLine, RejectsTwoOptionsThatAnswerToOneFlag) {
  for (const bool is_short : {false, true}) {
    Sample sample;
    int64_t lines = 0;
    sample.table.section("Reader");
    OptionField& field = sample.table.field("lines", lines, "Lines.");
    is_short ? field.short_flag("l") : field.alias("depth");
    EXPECT_THAT(message_of([&] { parse_command_line(sample.table, Arguments{}); }),
                HasSubstr("means --layers of 'Model' as well as --lines of 'Reader'"));
  }
}

TEST(CommandLine, RemembersWhereAValueCameFrom) {
  const ConfigFile file("layers = 4\ndropout = 0.2\n");
  Sample sample;
  parse_command_line(sample.table, Arguments{"--dropout", "0.3", "--config", file.path()});
  EXPECT_EQ(sample.options.layers, 4);
  EXPECT_EQ(sample.table.find("layers")->origin, OptionOrigin::kConfigFile);
  EXPECT_EQ(sample.options.dropout, 0.3);  // the command line wins, whatever the order
  EXPECT_EQ(sample.table.find("dropout")->origin, OptionOrigin::kCommandLine);
  EXPECT_EQ(sample.table.find("format")->origin, OptionOrigin::kDefault);
}

TEST(CommandLine, ReadsSectionsCommentsAndQuotesOfAConfigurationFile) {
  const ConfigFile file(
      "# a comment\n; another\n[Model]\n  layers=7 # seven\n\nleft_pad = no\n[Output]\r\n"
      "remove-bpe = \"# \\\"x\\\"\\n\\\\n \"   # quoted\nformat = fairseq\t# tab\ninput = a#b\n");
  const auto options = parsed({"--config=" + file.path()});
  EXPECT_EQ(options.layers, 7);
  EXPECT_FALSE(options.left_pad);
  EXPECT_EQ(options.remove_bpe, "# \"x\"\n\\n ");
  EXPECT_EQ(options.format, "fairseq");
  EXPECT_THAT(options.system, ElementsAre("a#b"));
}

TEST(CommandLine, NamesTheLineOfEveryProblemInAConfigurationFile) {
  const ConfigFile file("layers = 7\ndropot = 0.3\njust words\ndropout = 3\nformat = \"open\n");
  const std::string text = complaint({"--config", file.path()});
  EXPECT_THAT(text,
              AllOf(HasSubstr(file.path() + ":2: unknown option 'dropot'; did you mean"),
                    HasSubstr(file.path() + ":3: 'just words' is not 'name = value'"),
                    HasSubstr(file.path() + ":4: --dropout: 3 is out of range"),
                    HasSubstr(file.path() + ":5: ")));
}

TEST(CommandLine, SaysOnceThatAConfigurationFileIsYaml) {
  const ConfigFile file("# of another toolkit\ntype: transformer\ntrain-sets:\n  - a\n  - b\n");
  const std::string text = complaint({"--config", file.path()});
  EXPECT_THAT(text, HasSubstr(file.path() + ":2: 'type: transformer' is YAML"));
  EXPECT_THAT(text, Not(HasSubstr(":3:")));
}

TEST(CommandLine, DoesNotReportAsMissingWhatAnUnreadConfigurationFileMayContain) {
  const ConfigFile file("arch: transformer\n");
  std::string arch;
  OptionTable table;
  table.field("arch", arch, "Which model.").required();
  EXPECT_THAT(message_of([&] {
                parse_command_line(table, Arguments{"--config", file.path()});
              }),
              AllOf(HasSubstr("is YAML"), Not(HasSubstr("missing"))));
}

TEST(CommandLine, IgnoresAByteOrderMarkInAConfigurationFile) {
  const ConfigFile file("\xEF\xBB\xBFlayers = 7\ndropot = 1\n");
  EXPECT_THAT(complaint({"--config", file.path()}), StartsWith(file.path() + ":2: unknown option"));
}

/// A command gets such a file for <(echo 'layers = 7').
TEST(CommandLine, ReadsAConfigurationFromAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  constexpr std::string_view kText = "layers = 7\nformat = fairseq\n";
  ASSERT_EQ(::write(ends[1], kText.data(), kText.size()), std::ssize(kText));
  ::close(ends[1]);
  const Arguments arguments = {"--config", "/dev/fd/" + std::to_string(ends[0])};
  EXPECT_EQ(peek_option(arguments, "format", "none"), "fairseq");
  EXPECT_EQ(parsed(arguments).layers, 7);
  ::close(ends[0]);
}

TEST(CommandLine, ReportsThatAConfigurationFileCannotBeOpened) {
  EXPECT_THROW(parsed({"--config", "/nowhere/run.ini"}), IoError);
  EXPECT_THROW(parsed({"--config", "/"}), IoError);
  EXPECT_THAT(complaint({"--config"}), HasSubstr("--config: a file name is missing"));
}

TEST(CommandLine, LetsGeneralFlagsPass) {
  EXPECT_EQ(parsed({"--print-config", "--layers", "2"}).layers, 2);
}

TEST(PeekOption, FindsTheLastValueInEverySpelling) {
  const Arguments arguments = {
      "--arch", "lstm", "--user_dir=x", "--arch=transformer", "--", "--arch=y"};
  EXPECT_EQ(peek_option(arguments, "arch", "none"), "transformer");
  EXPECT_EQ(peek_option(arguments, "user-dir", "none"), "x");
  EXPECT_EQ(peek_option(arguments, "task", "translation"), "translation");
}

TEST(PeekOption, LooksIntoTheConfigurationFile) {
  const ConfigFile file("[run]\narch = lstm\nlr_scheduler = noam\n");
  const Arguments arguments = {"--config", file.path(), "--task", "t"};
  EXPECT_EQ(peek_option(arguments, "arch", "none"), "lstm");
  EXPECT_EQ(peek_option(arguments, "lr-scheduler", "none"), "noam");
  EXPECT_EQ(peek_option({{"--arch=beam", "--config=" + file.path()}}, "arch", "none"), "beam");
}

TEST(PeekOption, KnowsEveryNameOfAnOptionOfATable) {
  Sample sample;
  const auto layers = [&](const Arguments& arguments) {
    return peek_option(sample.table, arguments, "layers", "none");
  };
  EXPECT_EQ(layers({"-l", "3"}), "3");
  EXPECT_EQ(layers({"--depth=4", "-unknown", "x"}), "4");
  EXPECT_EQ(layers({"-l", "3", "--layers", "5"}), "5");
  EXPECT_EQ(layers({"--share", "-x", "3"}), "none");
  const ConfigFile file("layers = 7\n");
  EXPECT_EQ(layers({"--config", file.path()}), "7");
  const ConfigFile with_alias("share = yes\ndepth = 8\n");
  EXPECT_EQ(layers({"--config", with_alias.path()}), "8");
}

TEST(PeekList, GathersWhatParsingWillRead) {
  const ConfigFile file("plugin_dir = c,d\n");
  EXPECT_THAT(
      peek_list(Arguments{"--plugin-dir", "a", "b,e", "--x", "y", "--plugin_dir=f"}, "plugin-dir"),
      ElementsAre("a", "b", "e", "f"));
  EXPECT_THAT(peek_list(Arguments{"--config", file.path()}, "plugin-dir"), ElementsAre("c", "d"));
  EXPECT_THAT(peek_list(Arguments{"--x", "y"}, "plugin-dir"), IsEmpty());
}

TEST(PeekList, KnowsTheShortFlagsOfATable) {
  std::vector<std::string> names;
  bool other = false;
  OptionTable table;
  table.field("names", names, "Names.").short_flag("m").alias("called");
  table.field("other", other, "Another.").short_flag("o");
  EXPECT_THAT(peek_list(table, Arguments{"-o", "-m", "a", "b", "-unknown", "x", "-m=c"}, "names"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(peek_list(table, Arguments{"--called", "a,b"}, "names"), ElementsAre("a", "b"));
  EXPECT_THAT(peek_list(table, Arguments{"-o"}, "names"), IsEmpty());
  const ConfigFile file("called = c, d\n");
  EXPECT_THAT(peek_list(table, Arguments{"--config", file.path()}, "names"), ElementsAre("c", "d"));
}

TEST(PeekFlag, SeesAFlagInEverySpelling) {
  EXPECT_TRUE(peek_flag(Arguments{"--print_config"}, "print-config"));
  EXPECT_TRUE(peek_flag(Arguments{"-h"}, "help"));
  EXPECT_FALSE(peek_flag(Arguments{"--fp16", "--no-fp16"}, "fp16"));
  EXPECT_FALSE(peek_flag(Arguments{"--fp16=no"}, "fp16"));
  EXPECT_FALSE(peek_flag(Arguments{"--", "--help"}, "help"));
}

TEST(PeekFlag, LooksIntoTheConfigurationFileForAnOptionOfATable) {
  Sample sample;
  const ConfigFile file("share = yes\n");
  const auto share = [&](const Arguments& arguments) {
    return peek_flag(sample.table, arguments, "share");
  };
  EXPECT_TRUE(share({"--config", file.path()}));
  EXPECT_FALSE(share({"--config", file.path(), "--no-share"}));
  EXPECT_TRUE(share({"--share"}));
  EXPECT_FALSE(share({"--layers", "3"}));
}

}  // namespace
}  // namespace phraseq
