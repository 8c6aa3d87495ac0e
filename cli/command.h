#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options/command_line.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The common `main` of all commands: runs `command` on the arguments (without the program's name),
/// prints its exceptions to standard error as "phraseq NAME: error: …" and maps it to the exit
/// code; 1 = a bug in phraseq. If standard output cannot be written, the exit code is 6, but if its
/// reader has exited (`| head`), the command ends silently. SIGPIPE and SIGXFSZ are ignored, so
/// they become write errors. `--version` is answered here.
int run_command(const std::string& name,
                int argc,
                const char* const* argv,
                const std::function<int(std::span<const std::string>)>& command);

/// The help of a command before its options.
struct CommandText {
  std::string_view name;         ///< the text after "phraseq"
  std::string_view usage;        ///< the text after "phraseq NAME"
  std::string_view description;  ///< what the command does, in sentences
};

/// Answers --help (for people), --help-markdown (for docs/options), --help-man (for man) and
/// --help-json (for completion) from the described options; false if none was requested.
bool answer_help(const OptionTable& table,
                 const CommandText& command,
                 std::span<const std::string> arguments);

/// The beginning of a command whose options are described: answers --help, or parses the command
/// line (`problems` and `explain_unknown` are those of parse_command_line) and answers
/// --print-config. Returns false if the command has been answered and no work is left.
bool begin_command(OptionTable& table,
                   const CommandText& command,
                   std::span<const std::string> arguments,
                   const std::function<std::vector<std::string>()>& problems = {},
                   const ExplainOption& explain_unknown = {});

/// The same for a command that has only these options.
bool begin_command(Options& options,
                   const CommandText& command,
                   std::span<const std::string> arguments);

/// The same for a run, which has a table, problems() and explain_unknown().
template <class Run>
bool begin_run(Run& run, const CommandText& command, std::span<const std::string> arguments) {
  return begin_command(
      run.table,
      command,
      arguments,
      [&run] { return run.problems(); },
      [&run](const std::string& option) { return run.explain_unknown(option); });
}

/// The folder of this program. Throws IoError if /proc is not mounted.
std::filesystem::path program_folder();

/// The programs of all commands: phraseq-NAME in this program's folder, sorted by name.
std::vector<std::filesystem::path> command_programs();

}  // namespace phraseq
