// `cmake --install` into a prefix, which is then moved, and plugins built against it outside of
// this tree.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/docs/page_links.h"
#include "tests/docs/pages.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/sdk/handbook.h"
#include "tests/sdk/shell.h"

namespace phraseq::sdk {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// An installed phraseq that was moved, and a work folder.
class InstalledTree : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = shell(PHRASEQ_CMAKE " --install " PHRASEQ_BUILD_FOLDER " --prefix " +
                                  folder_.path("first"));
    ASSERT_EQ(outcome.code, 0) << outcome.text;
    fs::rename(folder_.path("first"), prefix());
  }

  std::string prefix() const { return folder_.path("moved"); }
  /// Runs `phraseq ARGUMENTS` from the installed tree in the work folder.
  Outcome phraseq(const std::string& arguments) const {
    return shell("cd " + folder_.path() + " && env -u PHRASEQ_PLUGIN_PATH " + prefix() +
                 "/bin/phraseq " + arguments);
  }

  /// Configures, builds and tests the plugins in the named folders as one project, with ccache if
  /// phraseq was built with it.
  void build_plugins(const std::vector<std::string>& names,
                     const std::string& settings = "") const {
    folder_.write("CMakeLists.txt",
                  "cmake_minimum_required(VERSION 3.25)\nproject(all LANGUAGES CXX)\n"
                  "enable_testing()\n");
    for (const std::string& name : names)
      folder_.write("CMakeLists.txt", "add_subdirectory(" + name + ")\n");
    const std::string launcher =
        *PHRASEQ_CCACHE == '\0' ? "" : " -DCMAKE_CXX_COMPILER_LAUNCHER=" PHRASEQ_CCACHE;
    const Outcome outcome =
        shell("cd " + folder_.path() + " && export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 && " +
              PHRASEQ_CMAKE " -S . -B build -G Ninja -DCMAKE_CXX_COMPILER=" PHRASEQ_CXX
                            " -DCMAKE_PREFIX_PATH=" +
              prefix() + launcher + settings +
              " && nice -n 5 " PHRASEQ_CMAKE " --build build && " PHRASEQ_CTEST
              " --test-dir build --output-on-failure");
    ASSERT_EQ(outcome.code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, Not(HasSubstr("warning:")));
    EXPECT_THAT(outcome.text, HasSubstr("100% tests passed"));
  }

  void write_data() const {
    end_to_end::write_toy_corpus(folder_);
    const Outcome outcome = phraseq(
        "preprocess --source-lang en --target-lang de --destdir data-bin "
        "--trainpref train --validpref dev");
    ASSERT_EQ(outcome.code, 0) << outcome.text;
  }

  /// Trains ten updates and translates with the model.
  void train_and_translate(const std::string& arch, const std::string& more) const {
    const Outcome trained =
        phraseq("train data-bin --plugin-dir build/lib/phraseq --arch " + arch +
                " --max-update 10 --max-tokens 400 --lr 0.01 --save-dir " + arch +
                " --encoder-layers 1 --encoder-embed-dim 32 --encoder-ffn-embed-dim 48"
                " --decoder-layers 1 --decoder-embed-dim 32 --decoder-ffn-embed-dim 48 " +
                more);
    ASSERT_EQ(trained.code, 0) << trained.text;
    const Outcome translated = phraseq("generate --plugin-dir build/lib/phraseq --path " + arch +
                                       "/checkpoint_last < dev.en 2>/dev/null | wc -l");
    EXPECT_EQ(translated.text, "20\n");
  }

  GrowingFolder folder_;
};

TEST_F(InstalledTree, HasTheFilesThatItsPagesLinkTo) {
  for (const auto& entry : fs::recursive_directory_iterator(prefix() + "/share/doc/phraseq/docs")) {
    if (entry.path().extension() != ".md")
      continue;
    for (const std::string& link : docs::links_in(content_of(entry.path())))
      EXPECT_TRUE(fs::exists(entry.path().parent_path() / link)) << entry << " links to " << link;
  }
}

TEST_F(InstalledTree, WorksWhereItWasMoved) {
  for (const char* file : {"bin/phraseq-train",
                           "lib/libphraseq-core.so",
                           "lib/phraseq/libphraseq-transformer.so",
                           "include/phraseq/core/nn/architecture.h",
                           "include/phraseq/phraseq/abi_stamp.h",
                           "include/phraseq/phraseq/phraseq.h",
                           "include/phraseq/phraseq/translate.h",
                           "lib/libphraseq-translate.so",
                           "lib/cmake/phraseq/phraseqConfig.cmake",
                           "lib/pkgconfig/phraseq.pc",
                           "share/doc/phraseq/LICENSE",
                           "share/doc/phraseq/docs/README.md",
                           "share/doc/phraseq/docs/handbook/checks.md",
                           "share/doc/phraseq/examples/embedding/CMakeLists.txt",
                           "share/man/man1/phraseq.1",
                           "share/man/man1/phraseq-train.1",
                           "share/bash-completion/completions/phraseq",
                           "share/zsh/site-functions/_phraseq",
                           "share/fish/vendor_completions.d/phraseq.fish"})
    EXPECT_TRUE(fs::is_regular_file(prefix() + "/" + file)) << file;
  const Outcome explained = phraseq("plugins explain transformer");
  EXPECT_EQ(explained.code, 0) << explained.text;
  EXPECT_THAT(explained.text,
              AllOf(HasSubstr(prefix() + "/lib/phraseq/libphraseq-transformer.so"),
                    HasSubstr("--encoder-embed-dim"),
                    Not(HasSubstr(PHRASEQ_BUILD_FOLDER))));
  const Outcome check =
      phraseq("plugins check " + prefix() + "/lib/phraseq/libphraseq-decoder-greedy.so");
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_THAT(content_of(prefix() + "/share/man/man1/phraseq-train.1"),
              AllOf(HasSubstr(".TH PHRASEQ\\-TRAIN 1"), HasSubstr("\n.B \\-\\-max\\-tokens N\n")));
}

TEST_F(InstalledTree, TranslatesInProgramsThatLinkTheLibrary) {
  fs::copy(PHRASEQ_SOURCE_FOLDER "/examples/embedding", folder_.path("embedding"));
  const Outcome built =
      shell("cd " + folder_.path() +
            " && " PHRASEQ_CMAKE " -S embedding -B build -G Ninja -DCMAKE_CXX_COMPILER=" PHRASEQ_CXX
            " -DCMAKE_CXX_FLAGS=-Wall -DCMAKE_C_FLAGS='-std=c99 -Wall -Wextra -Wpedantic'"
            " -DCMAKE_PREFIX_PATH=" +
            prefix() + " && " PHRASEQ_CMAKE " --build build");
  ASSERT_EQ(built.code, 0) << built.text;
  EXPECT_THAT(built.text, Not(HasSubstr("warning:")));
  fs::create_directories(folder_.path("build/lib/phraseq"));  // the folder where plugins would be
  write_data();
  train_and_translate("transformer_tiny", "");
  const std::string here = "cd " + folder_.path() + " && ";
  const std::string model = " transformer_tiny/checkpoint_last ";
  const Outcome expected = phraseq("generate --beam 3 --path" + model + "< dev.en 2>/dev/null");
  EXPECT_THAT(expected.text, Not(::testing::IsEmpty()));
  EXPECT_EQ(shell(here + "build/translate_lines" + model + "--beam 3 < dev.en").text,
            expected.text);
  const Outcome words = shell(here + "build/translate_words" + model + "'one two' ''");
  EXPECT_EQ(words.code, 0) << words.text;
  EXPECT_THAT(words.text, ::testing::ContainsRegex("^[^\t]*\t-[0-9.]+\n\tnan\n$"));
  const Outcome failed = shell(here + "build/translate_words dev.en one");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.text, HasSubstr("dev.en"));
}

TEST_F(InstalledTree, GivesTheCInterfaceToProjectsWithoutCpp) {
  folder_.write("project/CMakeLists.txt",
                "cmake_minimum_required(VERSION 3.25)\nproject(only_c LANGUAGES C)\n"
                "find_package(phraseq REQUIRED COMPONENTS C)\n"
                "add_executable(words " PHRASEQ_SOURCE_FOLDER
                "/examples/embedding/translate_words.c)\n"
                "target_link_libraries(words PRIVATE phraseq::c)\n");
  const Outcome built = shell("cd " + folder_.path() +
                              " && " PHRASEQ_CMAKE
                              " -S project -B build -G Ninja "
                              "-DCMAKE_PREFIX_PATH=" +
                              prefix() + " && " PHRASEQ_CMAKE " --build build");
  ASSERT_EQ(built.code, 0) << built.text;
  const Outcome failed = shell("cd " + folder_.path() + " && build/words none one");
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.text, HasSubstr("none"));
}

TEST_F(InstalledTree, IsFoundByPkgConfig) {
  if (shell("pkg-config --version").code != 0)
    GTEST_SKIP() << "pkg-config is not installed";
  const Outcome built = shell("cd " + folder_.path() +
                              " && cc -o words " PHRASEQ_SOURCE_FOLDER
                              "/examples/embedding/translate_words.c $(PKG_CONFIG_PATH=" +
                              prefix() + "/lib/pkgconfig pkg-config --cflags --libs phraseq)");
  ASSERT_EQ(built.code, 0) << built.text;
  EXPECT_THAT(shell("cd " + folder_.path() + " && ./words none one").text, HasSubstr("none"));
}

TEST_F(InstalledTree, BuildsChecksAndTrainsTheTemplateAndTheHandbooksExample) {
  const Outcome begun = phraseq("new-plugin plugin_template --kind architecture");
  ASSERT_EQ(begun.code, 0) << begun.text;
  const std::string page = content_of(PHRASEQ_SOURCE_FOLDER "/docs/handbook/two_attentions.md");
  ASSERT_GT(write_code_blocks(page, folder_, "twofold"), 8);
  build_plugins({"plugin_template", "twofold"});
  write_data();
  train_and_translate("plugin_template_tiny", "--no-plugin-template-gate-bias");
  train_and_translate("twofold_tiny", "--twofold-heads 2");

  const Outcome without = phraseq("generate --path twofold_tiny/checkpoint_last < dev.en");
  EXPECT_EQ(without.code, 5);
  EXPECT_THAT(without.text,
              AllOf(HasSubstr("needs the architecture 'twofold' of the plugin 'twofold' 0.1.0"),
                    HasSubstr("--plugin-dir")));
  const Outcome installed =
      shell(PHRASEQ_CMAKE " --install " + folder_.path("build") + " --prefix " + prefix());
  ASSERT_EQ(installed.code, 0) << installed.text;
  const Outcome checked = phraseq("plugins check twofold");
  EXPECT_EQ(checked.code, 0) << checked.text;
}

TEST_F(InstalledTree, BuildsAndChecksTheHandbooksDecoderAndCriterion) {
  const auto write_page = [&](const char* page, const char* plugin) {
    const std::string text =
        content_of(std::string(PHRASEQ_SOURCE_FOLDER "/docs/handbook/") + page);
    ASSERT_GT(write_code_blocks(text, folder_, plugin), 1);
  };
  write_page("beam_search.md", "stepwise");
  write_page("two_passes.md", "two_passes");
  build_plugins({"stepwise", "two_passes"}, " -DCMAKE_UNITY_BUILD=" PHRASEQ_UNITY);
  write_data();
  train_and_translate("transformer_tiny", "--criterion two_passes --two-passes-alpha 5");
  const auto translations = [&](const std::string& decoder) {
    return phraseq(
               "generate --plugin-dir build/lib/phraseq --path transformer_tiny/checkpoint_last " +
               decoder + " < dev.en 2>/dev/null")
        .text;
  };
  const std::string expected = translations("--beam 4");
  EXPECT_THAT(expected, Not(::testing::IsEmpty()));
  EXPECT_EQ(translations("--decoder stepwise --stepwise-beam 4"), expected);
}

TEST_F(InstalledTree, BuildsAndChecksThePluginsOfAllOtherKinds) {
  const std::vector<std::string> kinds = {"task",
                                          "criterion",
                                          "decoder",
                                          "data_loader",
                                          "optimizer",
                                          "lr_scheduler",
                                          "tokenizer",
                                          "metric"};
  std::vector<std::string> names;
  for (const std::string& kind : kinds) {
    names.push_back("my_" + kind.substr(0, kind.find('_')));
    const Outcome begun = phraseq("new-plugin " + names.back() + " --kind " + kind);
    ASSERT_EQ(begun.code, 0) << begun.text;
  }
  build_plugins(names, " -DCMAKE_UNITY_BUILD=" PHRASEQ_UNITY);  // halves the time of full builds
  const Outcome list = phraseq("plugins list --plugin-dir build/lib/phraseq");
  EXPECT_EQ(list.code, 0) << list.text;
  for (const std::string& name : names) EXPECT_THAT(list.text, HasSubstr("  " + name + " "));
}

TEST_F(InstalledTree, BuildsAPluginInSeveralFoldersBelowIt) {
  const Outcome begun = phraseq("new-plugin exactly --kind metric");
  ASSERT_EQ(begun.code, 0) << begun.text;
  for (const char* folder : {"build", "build-debug", "out/third"}) {
    const Outcome built = shell("cd " + folder_.path("exactly") + " && " + PHRASEQ_CMAKE +
                                " -S . -G Ninja -DCMAKE_PREFIX_PATH=" + prefix() + " -B " + folder +
                                " && " + PHRASEQ_CMAKE + " --build " + folder + " --verbose");
    EXPECT_EQ(built.code, 0) << built.text;
    EXPECT_THAT(built.text, AllOf(HasSubstr("register.cpp"), Not(HasSubstr("CompilerIdCXX"))));
  }
}

TEST_F(InstalledTree, ScoresWithTheMetricOfATemplate) {
  const Outcome begun = phraseq("new-plugin exactly --kind metric");
  ASSERT_EQ(begun.code, 0) << begun.text;
  build_plugins({"exactly"});
  folder_.write("ref", "One.\nTwo.\nThree.\nFour.\n");
  folder_.write("a", "One.\nTwo.\nThree.\nFour.\n");
  folder_.write("b", "One.\nTwo.\nthree.\nSix.\n");
  const std::string metric = " -m exactly --plugin-dir build/lib/phraseq ";
  const Outcome single = phraseq("score ref -i b -f text --exactly-ignore-case" + metric);
  EXPECT_THAT(single.text,
              AllOf(HasSubstr("exactly|nrefs:1|case:lc|"), HasSubstr(" = 75.0 (3 of 4)")));
  for (const char* test : {"--paired-bs", "--paired-ar"}) {
    const Outcome tested = phraseq("score ref -i a b -f text " + std::string(test) + metric);
    EXPECT_EQ(tested.code, 0) << tested.text;
    EXPECT_THAT(tested.text, AllOf(HasSubstr("50.0"), HasSubstr("(p = ")));
  }
  const Outcome compared = phraseq("compare a b --ref ref" + metric);
  EXPECT_EQ(compared.code, 0) << compared.text;
  EXPECT_THAT(compared.text, HasSubstr("-50.0 (p = "));
}

}  // namespace
}  // namespace phraseq::sdk
