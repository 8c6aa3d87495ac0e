#include "core/text/processing/text_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/text/processing/learn_options.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TextPipelines : public ::testing::Test {
 protected:
  TextPipelines() {
    options_.bpe = BpeKind::kSubwordNmt;
    options_.bpe_codes = write("codes.{lang}", "codes.en", "#version: 0.2\ni s\nis n</w>\n");
  }

  /// Writes `file`; returns the path of `name` in the same folder.
  std::string write(const std::string& name,
                    const std::string& file,
                    const std::string& text) const {
    folder_.write(file, text);
    return folder_.file(name);
  }

  TemporaryFolder folder_;
  MosesOptions options_;
};

TEST_F(TextPipelines, TokenizeCutAndJoinAgain) {
  const TextPipeline pipeline(options_, TokenizerSetup{"", "", "en"});
  const auto symbols = pipeline.encode("It isn't \"a b\".");
  EXPECT_THAT(symbols,
              ElementsAre("I@@",
                          "t",
                          "isn",
                          "&@@",
                          "a@@",
                          "p@@",
                          "o@@",
                          "s@@",
                          ";@@",
                          "t",
                          "&@@",
                          "q@@",
                          "u@@",
                          "o@@",
                          "t@@",
                          ";",
                          "a",
                          "b",
                          "&@@",
                          "q@@",
                          "u@@",
                          "o@@",
                          "t@@",
                          ";",
                          "."))
      << "subwords of the escaped tokens";
  EXPECT_EQ(pipeline.decode(symbols), "It isn't \"a b\".");
}

TEST_F(TextPipelines, NeedNoFileWithTheirModel) {
  const TextPipeline made(options_, TokenizerSetup{"", "", "en"});
  MosesOptions elsewhere = options_;
  elsewhere.bpe_codes = "/no/such/file";
  const TextPipeline loaded(elsewhere, TokenizerSetup{made.model(), "blob", "en"});
  EXPECT_EQ(loaded.encode("isn't it"), made.encode("isn't it"));
  EXPECT_EQ(loaded.model(), made.model());
  EXPECT_THROW(TextPipeline(elsewhere, TokenizerSetup{"{}", "blob", "en"}), FormatError);
  EXPECT_THROW(TextPipeline(elsewhere, TokenizerSetup{"no json", "blob", "en"}), FormatError);
  EXPECT_THROW(TextPipeline(elsewhere, TokenizerSetup{"", "", "en"}), IoError);
}

TEST_F(TextPipelines, WithoutMosesSeparateAtWhiteSpace) {
  const TextPipeline pipeline(static_cast<const TextPipelineOptions&>(options_),
                              TokenizerSetup{"", "", "en"});
  EXPECT_THAT(pipeline.encode(" isn't  a\tb "),
              ElementsAre("is@@", "n@@", "'@@", "t", "a@@", "@@", "b"));
  EXPECT_EQ(pipeline.decode({"is@@", "n@@", "'@@", "t", "a"}), "isn't a");
}

TEST_F(TextPipelines, LowercaseAndSample) {
  options_.lowercase = true;
  options_.bpe_dropout = 1;
  const TextPipeline pipeline(options_, TokenizerSetup{"", "", "en"});
  EXPECT_THAT(pipeline.encode("ISN"), ElementsAre("isn"));
  EXPECT_THAT(pipeline.sample("ISN", 1), ElementsAre("i@@", "s@@", "n"));
}

TEST_F(TextPipelines, SayWhatIsMissing) {
  options_.bpe_codes.clear();
  EXPECT_THROW(TextPipeline(options_, TokenizerSetup{"", "", "en"}), UsageError);
  options_.bpe = BpeKind::kNone;
  options_.bpe_vocabulary = "x";
  EXPECT_THAT(options_.problems(), ElementsAre(HasSubstr("--bpe-vocabulary needs --bpe")));
  options_.bpe_codes = "x";
  EXPECT_THAT(options_.problems(), testing::Contains(HasSubstr("--bpe-codes needs --bpe")));
}

TEST_F(TextPipelines, LearnCodesFromTokens) {
  LearnBpeOptions options;
  options.inputs = {write("learn.txt", "learn.txt", "ab. ab ab, AB\n")};
  options.moses = {"en"};
  options.lowercase = true;
  EXPECT_EQ(learn_bpe_codes(options), "#version: 0.2\na b</w>\n");
  options.moses = {"en", "de"};
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("one language for each file")));
}

TEST_F(TextPipelines, TruecaseAndCapitalizeWithAStoredModel) {
  options_.bpe = BpeKind::kNone;
  options_.bpe_codes.clear();
  options_.truecase_model = write("cases.{lang}", "cases.en", "dogs (3/4) Dogs (1)\nIT (2/2)\n");
  const TextPipeline pipeline(options_, TokenizerSetup{"", "", "en"});
  EXPECT_THAT(pipeline.encode("Dogs like it."), ElementsAre("dogs", "like", "IT", "."));
  EXPECT_EQ(pipeline.decode({"dogs", "like", "IT", "."}), "Dogs like IT.");
  const TextPipeline again(options_, TokenizerSetup{pipeline.model(), "checkpoint", "xx"});
  EXPECT_THAT(again.encode("Dogs"), ElementsAre("dogs"));
  EXPECT_THROW(TextPipeline(options_, TokenizerSetup{"{}", "checkpoint", "en"}), FormatError);
  options_.lowercase = true;
  EXPECT_THAT(options_.problems(), ElementsAre(HasSubstr("cannot be combined")));
}

TEST_F(TextPipelines, NameTheByteOfAFileThatIsNotUtf8) {
  const auto place = [&] {
    return message_of<DataError>([&] { TextPipeline(options_, TokenizerSetup{"", "", "en"}); });
  };
  options_.bpe_vocabulary = write("vocabulary", "vocabulary", "is 2\nn\xFF 1\n");
  EXPECT_THAT(place(), HasSubstr("vocabulary:2:2: invalid UTF-8"));
  options_.bpe_codes = write("codes", "codes", "#version: 0.2\ni s\n\xFF n\n");
  EXPECT_THAT(place(), HasSubstr("codes:3:1: invalid UTF-8"));
  options_.bpe = BpeKind::kNone;
  options_.truecase_model = write("cases", "cases", "dogs\xC3 (3/4)\n");
  EXPECT_THAT(place(), HasSubstr("cases:1:5: invalid UTF-8"));
}

}  // namespace
}  // namespace phraseq
