#include "core/plugin/loader.h"

#include <elf.h>
#include <filesystem>
#include <stdlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/plugin/library_file.h"
#include "phraseq/abi_stamp.h"
#include "tests/bad_plugins/libraries/toy.h"
#include "tests/bad_plugins/plugin_folder.h"
#include "tests/support/file_content.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The error message of loading the file; empty if it is loaded.
std::string rejection(const std::string& path) {
  Registry registry;
  try {
    load_plugin_file(registry, path);
  } catch (const PluginError& failure) {
    EXPECT_EQ(failure.exit_code(), kExitPlugin);
    EXPECT_TRUE(registry.components().empty());
    EXPECT_TRUE(registry.plugins().empty());
    return failure.what();
  }
  return {};
}

/// Libraries whose static constructors ran leave files here.
class Marks {
 public:
  Marks() { setenv("PHRASEQ_TEST_MARKS", folder_.path().c_str(), 1); }
  ~Marks() { unsetenv("PHRASEQ_TEST_MARKS"); }
  bool has(const std::string& library) const { return fs::exists(folder_.path(library)); }

 private:
  PluginFolder folder_;
};

TEST(PluginLoader, LoadsAGoodPluginAndRunsItsCode) {
  const PluginFolder folder;
  const Marks marks;
  Registry registry;
  const LoadedPlugin plugin = load_plugin_file(registry, folder.copy("good"));
  EXPECT_TRUE(marks.has("good"));  // so a missing mark means that no code has run
  EXPECT_EQ(plugin.name, "good");
  EXPECT_EQ(plugin.version, "1.2.3");
  EXPECT_EQ(plugin.description, "Nothing wrong with it");
  EXPECT_EQ(plugin.file, folder.path("libphraseq-good.so"));
  const Selection selection = registry.select("toy", "rectangle_tall");
  EXPECT_EQ(selection.component->file, plugin.file);
  EXPECT_EQ(selection.component->plugin_version, "1.2.3");
  EXPECT_EQ(create<toy::Toy>(selection, {.width = 5})->area(), 35);
}

TEST(PluginLoader, LoadsAStrippedPlugin) {
  const PluginFolder folder;
  const std::string file = folder.copy("good", "stripped");
  if (std::system(("strip '" + file + "' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "strip is not installed";
  EXPECT_EQ(rejection(file), "");
}

TEST(PluginLoader, RejectsAnotherBuildWithBothFingerprintsAndRunsNoneOfItsCode) {
  const PluginFolder folder;
  const Marks marks;
  EXPECT_THAT(rejection(folder.copy("other_abi")),
              AllOf(HasSubstr("libphraseq-other_abi.so: was built for another version of phraseq"),
                    HasSubstr("this program: " PHRASEQ_ABI_TEXT),
                    HasSubstr("the plugin:   phraseq-abi 999; LibTorch 9.8.7; GNU 99"),
                    HasSubstr("Rebuild the plugin")));
  EXPECT_FALSE(marks.has("other_abi"));
}

TEST(PluginLoader, RejectsALibraryWithoutAManifestAndRunsNoneOfItsCode) {
  const PluginFolder folder;
  const Marks marks;
  EXPECT_THAT(rejection(folder.copy("no_manifest")),
              AllOf(HasSubstr("not a phraseq plugin"),
                    HasSubstr("phraseq_plugin_" PHRASEQ_ABI_HASH),
                    HasSubstr("PHRASEQ_PLUGIN(")));
  EXPECT_FALSE(marks.has("no_manifest"));
}

TEST(PluginLoader, NamesTheUndefinedSymbolAndThePlugin) {
  const PluginFolder folder;
  EXPECT_THAT(rejection(folder.copy("undefined_symbol")),
              AllOf(HasSubstr("libphraseq-undefined_symbol.so"),
                    HasSubstr("'nowhere::missing_kernel(long)', which is not defined")));
}

TEST(PluginLoader, NamesThePluginThatThrowsWhileItRegisters) {
  const PluginFolder folder;
  EXPECT_THAT(rejection(folder.copy("throws_std")),
              AllOf(HasSubstr("plugin 'throws_std' ("), HasSubstr("no weather today")));
  EXPECT_THAT(rejection(folder.copy("throws_own")),
              AllOf(HasSubstr("plugin 'throws_own' ("), HasSubstr("own words")));
  EXPECT_THAT(
      rejection(folder.copy("throws_other")),
      AllOf(HasSubstr("plugin 'throws_other' ("), HasSubstr("not derive from std::exception")));
}

TEST(PluginLoader, RejectsANameThatIsAPath) {
  const PluginFolder folder;
  EXPECT_THAT(rejection(folder.copy("bad_name")),
              AllOf(HasSubstr("libphraseq-bad_name.so"),
                    HasSubstr("'../evil' is not a valid name for a toy")));
  EXPECT_THAT(rejection(folder.copy("bad_plugin_name")),
              AllOf(HasSubstr("libphraseq-bad_plugin_name.so"),
                    HasSubstr("'../evil' is not a valid plugin name")));
}

TEST(PluginLoader, NamesBothFilesThatOfferTheSameName) {
  const PluginFolder folder;
  Registry registry;
  const std::string good = folder.copy("good");
  const std::string duplicate = folder.copy("duplicate");
  load_plugin_file(registry, good);
  try {
    load_plugin_file(registry, duplicate);
    FAIL() << "the second plugin with this name was accepted";
  } catch (const PluginError& failure) {
    EXPECT_THAT(failure.what(),
                AllOf(HasSubstr("toy 'rectangle' is registered twice"),
                      HasSubstr("by " + good),
                      HasSubstr("by " + duplicate)));
  }
  EXPECT_EQ(registry.select("toy", "rectangle").component->file, good);
}

TEST(PluginLoader, SeesTheDuplicateInAByteCopy) {
  const PluginFolder folder;
  folder.copy("good");
  folder.copy("good", "good_again");
  Registry registry;
  EXPECT_THROW(load_plugins(registry, std::vector{folder.path()}), PluginError);
}

TEST(PluginLoader, LoadsAFileOnceHoweverOftenItIsNamed) {
  const PluginFolder folder;
  const std::string good = folder.copy("good");
  fs::create_symlink("libphraseq-good.so", folder.path("libphraseq-also.so"));
  Registry registry;
  load_plugin_file(registry, good);
  load_plugin_file(registry, good);
  load_plugin_file(registry, folder.path("libphraseq-also.so"));
  EXPECT_EQ(registry.plugins().size(), 1u);
  EXPECT_EQ(registry.components().size(), 1u);
}

TEST(PluginLoader, TakesTheFirstFolderThatHasAFileOfAName) {
  const PluginFolder first;
  const PluginFolder second;
  first.copy("good");
  second.copy("good");
  Registry registry;
  const auto loaded = load_plugins(registry, std::vector{first.path(), second.path()});
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].file, first.path("libphraseq-good.so"));
}

TEST(PluginLoader, IgnoresOtherFilesOfTheFolder) {
  const PluginFolder folder;
  folder.copy("good");
  folder.write("notes.txt", "no plugin, and not named like one");
  folder.write("libother.so", "not ours");
  Registry registry;
  EXPECT_EQ(load_plugins(registry, std::vector{folder.path(), folder.path("missing")}).size(), 1u);
}

TEST(PluginLoader, ReportsWhatAFileIsInsteadOfAPlugin) {
  const PluginFolder folder;
  EXPECT_THAT(rejection(folder.path("libphraseq-missing.so")),
              AllOf(HasSubstr("libphraseq-missing.so"), HasSubstr("No such file")));
  EXPECT_THAT(rejection(folder.write("libphraseq-text.so", "just words\n")),
              HasSubstr("it is not an ELF shared library"));
  EXPECT_THAT(rejection(folder.write("libphraseq-empty.so", "")), HasSubstr("it is not an ELF"));
  fs::create_directory(folder.path("libphraseq-folder.so"));
  EXPECT_THAT(rejection(folder.path("libphraseq-folder.so")), HasSubstr("not a regular file"));
}

TEST(PluginLoader, RejectsEveryTruncationOfAPlugin) {
  const PluginFolder folder;
  const std::string whole = content_of(folder.copy("good"));
  int accepted = 0;
  int misnamed = 0;
  for (size_t size = 0; size < whole.size(); size += 499) {
    const std::string cut = folder.write("libphraseq-cut.so", whole.substr(0, size));
    const std::string text = rejection(cut);
    accepted += text.empty() ? 1 : 0;
    if (text.find("libphraseq-cut.so") == std::string::npos)
      ++misnamed;
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_EQ(misnamed, 0);
}

TEST(PluginLoader, RejectsOtherMachinesAndPrograms) {
  const PluginFolder folder;
  const std::string whole = content_of(folder.copy("good"));
  std::string narrow = whole;
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(rejection(folder.write("libphraseq-narrow.so", narrow)), HasSubstr("32-bit"));
  std::string foreign = whole;
  foreign[offsetof(Elf64_Ehdr, e_machine)] = EM_PPC64;
  foreign[offsetof(Elf64_Ehdr, e_machine) + 1] = 0;
  EXPECT_THAT(rejection(folder.write("libphraseq-foreign.so", foreign)),
              HasSubstr("another processor"));
  std::string program = whole;
  program[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
  EXPECT_THAT(rejection(folder.write("libphraseq-object.so", program)),
              HasSubstr("not a shared library"));
}

TEST(PluginLoader, SurvivesEveryDamagedByteOfTheTables) {
  const PluginFolder folder;
  const std::string good = folder.copy("good");
  const std::string whole = content_of(good);
  const std::string damaged = folder.path("libphraseq-damaged.so");
  // The section table is at the end of the file, the ELF header at its beginning.
  const size_t tail = whole.size() - 2048;
  for (size_t at = 0; at < whole.size(); at += at < 64 ? 1 : at >= tail ? 5 : 1021) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    folder.write("libphraseq-damaged.so", bytes);
    try {
      // It may succeed or throw, but not read outside of the file or use up the memory.
      inspect_library(damaged);
    } catch (const PluginError&) {
    }
  }
  EXPECT_THAT(inspect_library(good).exported,
              testing::Contains("phraseq_plugin_" PHRASEQ_ABI_HASH));
}

TEST(PluginLoader, KnowsTheLibrariesThatALibraryNeeds) {
  const PluginFolder folder;
  EXPECT_THAT(inspect_library(folder.copy("good")).needed,
              testing::Contains(HasSubstr("libphraseq-base.so")));
}

TEST(PluginLoader, RejectsALinkThatLeavesItsFolder) {
  const PluginFolder folder;
  const PluginFolder elsewhere;
  const std::string outside = elsewhere.copy("good");
  fs::create_symlink(outside, folder.path("libphraseq-good.so"));
  EXPECT_THAT(rejection(folder.path("libphraseq-good.so")),
              AllOf(HasSubstr("symbolic link to a file outside its folder"), HasSubstr(outside)));
  Registry registry;
  EXPECT_THROW(load_plugins(registry, std::vector{folder.path()}), PluginError);
}

TEST(PluginLoader, RejectsFilesThatEveryUserMayWriteTo) {
  const PluginFolder folder;
  const std::string file = folder.copy("good");
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  EXPECT_THAT(rejection(file),
              AllOf(HasSubstr(file), HasSubstr("writable by every user"), HasSubstr("chmod o-w")));
  ASSERT_EQ(chmod(file.c_str(), 0644), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  EXPECT_THAT(rejection(file), HasSubstr("writable by every user"));
  Registry registry;
  EXPECT_THROW(load_plugins(registry, std::vector{folder.path()}), PluginError);
}

TEST(PluginLoader, NamesThePluginWhoseConstructorThrows) {
  const PluginFolder folder;
  Registry registry;
  load_plugin_file(registry, folder.copy("bad_default"));
  const Selection selection = registry.select("toy", "crooked");
  try {
    create<toy::Toy>(selection, {.width = 2});
    FAIL() << "nothing was thrown";
  } catch (const PluginError& failure) {
    EXPECT_THAT(
        failure.what(),
        AllOf(HasSubstr("bad_default: could not create crooked"), HasSubstr("cannot be made")));
  }
}

TEST(PluginLoader, KeepsObjectsOfAPluginUsableWithoutTheRegistry) {
  const PluginFolder folder;
  std::unique_ptr<toy::Toy> made;
  std::unique_ptr<Options> options;
  {
    Registry registry;
    load_plugin_file(registry, folder.copy("good"));
    Selection selection = registry.select("toy", "rectangle");
    made = create<toy::Toy>(selection, {.width = 11});
    options = std::move(selection.options);
  }
  OptionTable table;
  options->describe(table);
  EXPECT_EQ(made->area(), 33);
  EXPECT_EQ(table.find("toy-height")->to_text(), "3");
}

TEST(PluginSearchPath, GoesFromTheGivenToTheInstalledFolder) {
  const PluginFolder given;
  const PluginFolder from_environment;
  setenv("PHRASEQ_PLUGIN_PATH", (":" + from_environment.path() + ":").c_str(), 1);
  const auto folders = plugin_search_path(std::vector{given.path()});
  unsetenv("PHRASEQ_PLUGIN_PATH");
  ASSERT_EQ(folders.size(), 4u);
  EXPECT_EQ(folders[0], given.path());
  EXPECT_EQ(folders[1], from_environment.path());
  EXPECT_EQ(folders[2], fs::canonical(PHRASEQ_BUILD_FOLDER).string() + "/lib/phraseq");
  EXPECT_THAT(folders[3], testing::EndsWith("/lib/phraseq"));
}

TEST(PluginSearchPath, RejectsARelativeFolderInTheEnvironment) {
  setenv("PHRASEQ_PLUGIN_PATH", ".", 1);
  EXPECT_THROW(plugin_search_path({}), PluginError);
  unsetenv("PHRASEQ_PLUGIN_PATH");
}

TEST(PluginSearchPath, RejectsAGivenFolderThatDoesNotExist) {
  EXPECT_THROW(plugin_search_path(std::vector<std::string>{"/nowhere/at/all"}), PluginError);
}

TEST(PluginSearchPath, SaysThatPluginDirTakesSeveralFolders) {
  try {
    plugin_search_path(std::vector<std::string>{PHRASEQ_SOURCE_FOLDER "/README.md"});
    FAIL();
  } catch (const PluginError& error) {
    EXPECT_THAT(error.hint(), testing::HasSubstr("up to the next option"));
  }
}

}  // namespace
}  // namespace phraseq
