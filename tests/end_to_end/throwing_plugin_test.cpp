// What a plugin throws while it works names the plugin, whatever it is: exit code 1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ThrowingPlugin : public ::testing::Test {
 protected:
  ThrowingPlugin() {
    write_toy_corpus(workspace_);
    EXPECT_EQ(workspace_.run(toy_preprocess()).exit_code, kExitOk);
  }

  CommandResult train(const std::string& options) {
    return workspace_.run(toy_train("run", 2) + Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER} +
                          words(options));
  }
  CommandResult generate(const std::string& options) {
    return workspace_.run(words("generate --path run") +
                              Arguments{"--plugin-dir", THROWING_PLUGIN_FOLDER} + words(options),
                          "one two\n");
  }

  /// The message names the plugin, its file, the component and what it did.
  static void expect_named(const CommandResult& result, const std::string& what) {
    EXPECT_EQ(result.exit_code, kExitBug) << result.errors;
    EXPECT_THAT(
        result.errors,
        AllOf(HasSubstr("plugin 'throwing' (" THROWING_PLUGIN_FOLDER "/libphraseq-throwing.so)"),
              HasSubstr(what),
              HasSubstr("report it to its author")));
  }

  Workspace workspace_;
};

TEST_F(ThrowingPlugin, IsNamedWhenForwardThrowsAnything) {
  const std::string in_forward = "--arch throwing --throw-in forward --thrown ";
  expect_named(train(in_forward + "std"),
               "architecture 'throwing' failed in forward: the flux capacitor is empty");
  const char* const strange =
      "architecture 'throwing' failed in forward: an exception that does not derive from "
      "std::exception was thrown";
  expect_named(train(in_forward + "own"), strange);
  expect_named(train(in_forward + "number"), strange);
}

TEST_F(ThrowingPlugin, IsNamedWhenItsCriterionThrows) {
  expect_named(train("--criterion throwing"),
               "criterion 'throwing' failed in loss: the flux capacitor is empty");
}

TEST_F(ThrowingPlugin, IsNamedWhenDecodingThrows) {
  ASSERT_EQ(train("--arch throwing").exit_code, kExitOk);
  expect_named(generate("--model-overrides throw-in=start"),
               "architecture 'throwing' failed in start_decoding: the flux capacitor is empty");
  expect_named(generate("--model-overrides throw-in=step,thrown=number"),
               "architecture 'throwing' failed in a step: an exception that does not derive from "
               "std::exception was thrown");
  expect_named(generate("--decoder throwing"),
               "decoder 'throwing' failed in decode: an exception that does not derive from "
               "std::exception was thrown");
  EXPECT_EQ(generate("").exit_code, kExitOk);
}

}  // namespace
}  // namespace phraseq::end_to_end
