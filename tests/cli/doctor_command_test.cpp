// phraseq doctor as a user runs it.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "core/base/error.h"
#include "phraseq/abi_stamp.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

TEST(DoctorCommand, FindsAWholeInstallationWithoutProblems) {
  end_to_end::Workspace space;
  const auto result = space.run({"doctor"});
  EXPECT_EQ(result.exit_code, kExitOk) << result.output << result.errors;
  for (const char* part : {"phraseq ",
                           "Build ",
                           "Processor ",
                           "Memory ",
                           "Disk ",
                           "Locale ",
                           "Limits ",
                           "Plugins ",
                           "LibTorch ",
                           "Kernels ",
                           "Training "})
    EXPECT_THAT(result.output, HasSubstr(part));
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("transformer " PHRASEQ_VERSION), HasSubstr("Problems     none")));
  EXPECT_LT(end_to_end::lines_of(result.output).size(), 50u) << "the report is longer than a page";
}

TEST(DoctorCommand, ReportsAnInvalidFolderForTemporaryFiles) {
  end_to_end::Workspace space;
  setenv("TMPDIR", "/nonexistent", 1);
  const auto result = space.run({"doctor"});
  unsetenv("TMPDIR");
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("the folder for temporary files, '/nonexistent': cannot use: No such"),
            HasSubstr("disk: /nonexistent: cannot be written to")));
}

TEST(DoctorCommand, GivesTheSameAsJson) {
  end_to_end::Workspace space;
  setenv("WORLD_SIZE", "2", 1);  // the trial is not a process of this launcher
  const auto result = space.run({"doctor", "--json"});
  unsetenv("WORLD_SIZE");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto report = nlohmann::json::parse(result.output);
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_THAT(report["problems"], IsEmpty());
  EXPECT_GT(report["machine"]["processor"]["cores"], 0);
  EXPECT_GT(report["machine"]["memory"]["total_bytes"], 0);
  const std::string level = report["training"]["processor_level"];
  EXPECT_THAT((std::vector<std::string>{"baseline", "v3", "v4"}), Contains(level));
  // The loss of an untrained model is about log2 of its 4 + 12 target types.
  EXPECT_NEAR(report["training"]["loss"].get<double>(), std::log2(16.0), 2.0);
  size_t components = 0;
  for (const auto& plugin : report["plugins"]["files"]) components += size_t(plugin["components"]);
  EXPECT_GT(components, 20u);
}

TEST(DoctorCommand, SurvivesBrokenPluginsAndNamesThem) {
  end_to_end::Workspace space;
  fs::create_directories(space.path("mine"));
  fs::permissions(space.path("mine"), fs::perms::owner_all);
  for (const char* name : {"crashes", "good", "other_abi"}) {
    const std::string file = std::string("libphraseq-") + name + ".so";
    fs::copy_file(fs::path(BAD_PLUGIN_FOLDER) / file, space.path("mine/" + file));
  }
  space.write("mine/libphraseq-note.so", "not a library");
  const auto result = space.run({"doctor", "--json", "--plugin-dir", "mine"});
  EXPECT_EQ(result.exit_code, kExitPlugin) << result.errors;
  const auto report = nlohmann::json::parse(result.output);
  std::map<std::string, std::string> problems;
  std::map<std::string, std::string> versions;
  for (const auto& plugin : report["plugins"]["files"]) {
    const std::string name = fs::path(plugin["file"].get<std::string>()).filename();
    problems[name] = plugin.value("problem", "");
    versions[name] = plugin.value("version", "");
  }
  EXPECT_THAT(problems["libphraseq-crashes.so"], HasSubstr("terminates the process that loads it"));
  EXPECT_THAT(problems["libphraseq-other_abi.so"], HasSubstr("was built for another version"));
  EXPECT_THAT(problems["libphraseq-note.so"], HasSubstr("not an ELF"));
  EXPECT_EQ(problems["libphraseq-good.so"], "");
  EXPECT_EQ(versions["libphraseq-good.so"], "1.2.3");
  EXPECT_EQ(problems["libphraseq-transformer.so"], "") << "the plugins after it are examined, too";
  EXPECT_EQ(report["problems"].size(), 3u);
  EXPECT_TRUE(report["training"].contains("loss")) << "the training uses only the built-in plugins";
}

TEST(DoctorCommand, SurvivesAReportThatIsCutOff) {
  end_to_end::Workspace space;
  const std::string command = "cd " + space.path("") +
                              " && (ulimit -f 8; " PHRASEQ_BUILD_FOLDER
                              "/bin/phraseq doctor --json) 2> errors | cat > page";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), kExitOk);
  const auto report =
      nlohmann::json::parse(space.read("page"), nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(report.is_object()) << space.read("page") << space.read("errors");
  std::vector<std::string> problems;
  for (const auto& plugin : report["plugins"]["files"])
    problems.push_back(plugin.value("problem", ""));
  const auto cut_off = std::find_if(problems.begin(), problems.end(), [](const auto& problem) {
    return problem.find("exit code 6") != std::string::npos;
  });
  ASSERT_LT(cut_off - problems.begin() + 1, static_cast<std::ptrdiff_t>(problems.size()));
  EXPECT_EQ(*std::next(cut_off), "") << "the plugins after it are examined, too";
}

TEST(DoctorCommand, ReportsATrainingStepThatFails) {
  end_to_end::Workspace space;
  fs::create_directories(space.path("bin"));
  const fs::path build = PHRASEQ_BUILD_FOLDER "/bin";
  fs::copy_file(build / "phraseq-doctor", space.path("bin/phraseq-doctor"));
  fs::create_symlink(build / "phraseq-preprocess", space.path("bin/phraseq-preprocess"));
  fs::create_symlink(fs::path(PHRASEQ_BUILD_FOLDER) / "lib", space.path("lib"));
  space.write("bin/phraseq-train", "#!/bin/sh\necho no kernel >&2\nkill -ILL $$\n");
  fs::permissions(space.path("bin/phraseq-train"), fs::perms::owner_all);
  const std::string command = "cd " + space.path("") + " && LD_LIBRARY_PATH=lib bin/phraseq-doctor";
  EXPECT_EQ(WEXITSTATUS(std::system((command + " > page").c_str())), kExitBug);
  EXPECT_THAT(space.read("page"),
              AllOf(HasSubstr("training step: phraseq-train was ended by a signal: Illegal"),
                    HasSubstr("no kernel")));
}

TEST(DoctorCommand, ReportsASystemLimitThatIsTooSmall) {
  end_to_end::Workspace space;
  const std::string command = "cd " + space.path("") +
                              " && ulimit -n 100 && " PHRASEQ_BUILD_FOLDER
                              "/bin/phraseq doctor > page";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), kExitIo) << space.read("page");
  EXPECT_THAT(space.read("page"), HasSubstr("limits: only 100 open files (ulimit -n)"));
}

}  // namespace
}  // namespace phraseq
