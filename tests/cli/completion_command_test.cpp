// The scripts of `phraseq completion`, run by the real shells.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/program_output.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

bool has_shell(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// A folder with the script of one shell, some files, and a way to ask for completions.
class CompletionOf : public ::testing::Test {
 protected:
  void write_script(const std::string& shell, const std::string& file) {
    const auto result = space_.run({"completion", shell});
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_EQ(result.errors, "");
    space_.write(file, result.output);
    space_.write("corpus train.en", "");
    space_.write("data-bin/dict.en.txt", "");
  }

  Words lines_of_script(const std::string& shell, const std::string& script) {
    const std::string all = "cd " + space_.path("") + " && " + script;
    const ProgramOutput result = program_output("/usr/bin/env", Words{shell, "-c", all});
    EXPECT_EQ(result.errors, "") << script;
    return end_to_end::lines_of(result.output);
  }

  end_to_end::Workspace space_;
};

class BashCompletion : public CompletionOf {
 protected:
  void SetUp() override {
    if (!has_shell("bash"))
      GTEST_SKIP() << "bash is not installed";
    write_script("bash", "phraseq.bash");
  }

  /// The completions that bash offers at the end of the line; an empty last word begins a new word.
  /// bash passes "=" as a word of its own.
  Words complete(const Words& line) {
    std::string words;
    for (const std::string& word : line) words += " '" + word + "'";
    return lines_of_script("bash",
                           "source ./phraseq.bash; COMP_WORDS=(" + words +
                               " ); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _phraseq; "
                               "((${#COMPREPLY[@]} == 0)) || printf '%s\\n' \"${COMPREPLY[@]}\"");
  }
};

TEST_F(BashCompletion, IsRegisteredForTheFrontProgram) {
  EXPECT_THAT(lines_of_script("bash", "source ./phraseq.bash; complete -p phraseq"),
              ElementsAre("complete -F _phraseq phraseq"));
}

TEST_F(BashCompletion, CompletesCommands) {
  EXPECT_THAT(complete({"phraseq", "pl"}), Contains("plugins"));
  EXPECT_THAT(complete({"phraseq", "doc"}), ElementsAre("doctor"));
  EXPECT_THAT(complete({"phraseq", "help", "doc"}), ElementsAre("doctor"));
}

TEST_F(BashCompletion, CompletesOptionsAndTheirOtherNames) {
  EXPECT_THAT(complete({"phraseq", "train", "--max-up"}), ElementsAre("--max-update"));
  EXPECT_THAT(complete({"phraseq", "train", "--max-sent"}), ElementsAre("--max-sentences"));
  EXPECT_THAT(complete({"phraseq", "score", "--max-up"}), IsEmpty());
  EXPECT_THAT(complete({"phraseq", "score", "--tok"}), ElementsAre("--tokenize"));
  EXPECT_THAT(complete({"phraseq", "score", "--bleu-tok"}), ElementsAre("--bleu-tokenize"));
}

TEST_F(BashCompletion, CompletesChoicesAfterASpaceAndAfterAnEqualsSign) {
  EXPECT_THAT(complete({"phraseq", "generate", "--format", "f"}), ElementsAre("fairseq"));
  EXPECT_THAT(complete({"phraseq", "generate", "--format", "=", "f"}), ElementsAre("fairseq"));
  EXPECT_THAT(complete({"phraseq", "generate", "--format", "="}),
              UnorderedElementsAre("auto", "plain", "fairseq", "jsonl"));
  EXPECT_THAT(complete({"phraseq", "plugins", "expl"}), ElementsAre("explain"));
  EXPECT_THAT(complete({"phraseq", "completion", ""}), UnorderedElementsAre("bash", "zsh", "fish"));
}

TEST_F(BashCompletion, CompletesNamesOfComponentsAndPresets) {
  EXPECT_THAT(complete({"phraseq", "train", "--arch", "transformer_t"}),
              Contains("transformer_tiny"));
  EXPECT_THAT(complete({"phraseq", "train", "-a", "phrasen"}), Contains("phrasenet"));
  EXPECT_THAT(complete({"phraseq", "train", "--lr-scheduler", "inv"}), ElementsAre("inverse_sqrt"));
  EXPECT_THAT(complete({"phraseq", "plugins", "explain", "sentencep"}),
              ElementsAre("sentencepiece"));
  EXPECT_THAT(complete({"phraseq", "plugins", "list", "--kind", "lr"}),
              ElementsAre("lr_scheduler"));
}

TEST_F(BashCompletion, CompletesTheNextItemOfAList) {
  EXPECT_THAT(complete({"phraseq", "score", "--metrics", "bleu,te"}), ElementsAre("bleu,ter"));
}

TEST_F(BashCompletion, OffersTheOptionsOfSelectedComponents) {
  const Words line = {"phraseq", "train", "data-bin", "--encoder-ffn"};
  EXPECT_THAT(complete(line), IsEmpty());
  EXPECT_THAT(complete({"phraseq", "train", "--arch", "transformer-tiny", "--encoder-ffn"}),
              ElementsAre("--encoder-ffn-embed-dim"));
  EXPECT_THAT(complete({"phraseq", "train", "--arch=transformer_tiny", "--encoder-ffn"}),
              ElementsAre("--encoder-ffn-embed-dim"));
  EXPECT_THAT(complete({"phraseq", "train", "--adam-b"}), ElementsAre("--adam-betas"));
  EXPECT_THAT(complete({"phraseq", "train", "--optimizer", "sgd", "--adam-b"}), IsEmpty());
}

TEST_F(BashCompletion, CompletesFilesAndFoldersWithSpaces) {
  EXPECT_THAT(complete({"phraseq", "generate", "--input", "corp"}), ElementsAre("corpus train.en"));
  EXPECT_THAT(complete({"phraseq", "train", "dat"}), ElementsAre("data-bin"));
  EXPECT_THAT(complete({"phraseq", "train", "--save-dir", "c"}), IsEmpty());
  EXPECT_THAT(complete({"phraseq", "train", "--save-dir", "d"}), ElementsAre("data-bin"));
}

class ZshCompletion : public CompletionOf {
 protected:
  void SetUp() override {
    if (!has_shell("zsh"))
      GTEST_SKIP() << "zsh is not installed";
    write_script("zsh", "functions/_phraseq");
  }

  /// Types the line and a tab into an interactive zsh on a pseudo terminal; returns the completed
  /// line.
  std::string typed(const std::string& line) {
    const auto lines = lines_of_script(
        "zsh",
        "zmodload zsh/zpty; zpty shell zsh -f -i; "
        "zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; stty columns 200; "
        "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; "
        "setopt no_list_beep no_beep; show() { print -r -- \"<<$BUFFER>>\" >> shown; "
        "BUFFER=; }; zle -N show; bindkey \"^X\" show; print ready >> shown'; "
        "repeat 600; do [[ -f shown ]] && break; sleep 0.1; zpty -r -t shell void; done; "
        "zpty -w -n shell $'" +
            line +
            "\\t\\x18'; "
            "repeat 600; do [[ $(<shown) == *'>>'* ]] && break; sleep 0.1; zpty -r -t shell void; "
            "done; cat shown; rm -f shown; zpty -d shell");
    return lines.size() == 2 ? lines[1] : "no answer";
  }
};

TEST_F(ZshCompletion, CompletesCommandsOptionsChoicesAndNames) {
  EXPECT_EQ(typed("phraseq doc"), "<<phraseq doctor >>");
  EXPECT_EQ(typed("phraseq train --max-upd"), "<<phraseq train --max-update=>>");
  EXPECT_EQ(typed("phraseq generate --format f"), "<<phraseq generate --format fairseq >>");
  EXPECT_EQ(typed("phraseq train --arch transformer_ti"),
            "<<phraseq train --arch transformer_tiny >>");
  EXPECT_EQ(typed("phraseq train --arch transformer_tiny --encoder-ffn"),
            "<<phraseq train --arch transformer_tiny --encoder-ffn-embed-dim=>>");
  EXPECT_EQ(typed("phraseq generate --input corp"),
            "<<phraseq generate --input corpus\\ train.en >>");
}

class FishCompletion : public CompletionOf {
 protected:
  void SetUp() override {
    if (!has_shell("fish"))
      GTEST_SKIP() << "fish is not installed";
    ::setenv("XDG_CONFIG_HOME", space_.path("config").c_str(), 1);
    ::setenv("XDG_DATA_HOME", space_.path("share").c_str(), 1);
    write_script("fish", "phraseq.fish");
  }

  /// The candidates without their descriptions.
  Words complete(const std::string& line) {
    return lines_of_script(
        "fish",
        "source ./phraseq.fish; complete -C '" + line + "' | string replace --regex '\\t.*' ''");
  }
};

TEST_F(FishCompletion, CompletesCommandsOptionsChoicesAndNames) {
  EXPECT_THAT(complete("phraseq doc"), ElementsAre("doctor"));
  EXPECT_THAT(complete("phraseq train --max-up"), ElementsAre("--max-update"));
  EXPECT_THAT(complete("phraseq generate --format f"), ElementsAre("fairseq"));
  EXPECT_THAT(complete("phraseq train --arch transformer_ti"), ElementsAre("transformer_tiny"));
  EXPECT_THAT(complete("phraseq plugins expl"), Contains("explain"));
  EXPECT_THAT(complete("phraseq generate --input corp"), ElementsAre("corpus train.en"));
}

TEST_F(FishCompletion, OffersTheOptionsOfSelectedComponents) {
  EXPECT_THAT(complete("phraseq train --encoder-ffn"), IsEmpty());
  EXPECT_THAT(complete("phraseq train --arch transformer_tiny --encoder-ffn"),
              ElementsAre("--encoder-ffn-embed-dim"));
  EXPECT_THAT(complete("phraseq train --adam-b"), ElementsAre("--adam-betas"));
  EXPECT_THAT(complete("phraseq train --optimizer sgd --adam-b"), IsEmpty());
}

TEST(CompletionCommand, RefusesAnotherShell) {
  end_to_end::Workspace space;
  const auto result = space.run({"completion", "tcsh"});
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, HasSubstr("'tcsh' is not one of bash, zsh, fish"));
}

TEST(CompletionCommand, SkipsFilesThatAreNotPrograms) {
  end_to_end::Workspace space;
  const std::string program = space.path("phraseq-completion");
  std::filesystem::copy_file(PHRASEQ_BUILD_FOLDER "/bin/phraseq-completion", program);
  space.write("phraseq-notes", "");
  std::filesystem::create_directory(space.path("phraseq-folder"));
  // The copy does not find its libraries otherwise.
  ::setenv("LD_LIBRARY_PATH", PHRASEQ_BUILD_FOLDER "/lib", 1);
  const auto result = space.start_program({program, "bash"}).wait();
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("phraseq-notes")));
}

}  // namespace
}  // namespace phraseq
