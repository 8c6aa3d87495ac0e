// The front program: `phraseq NAME …` runs the program phraseq-NAME from this program's folder or
// the PATH.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/text_fields.h"
#include "core/base/wording/close_matches.h"
#include "core/io/folders/folder_entries.h"
#include "core/options/man_page.h"

namespace {

namespace fs = std::filesystem;
using phraseq::UsageError;

constexpr const char* kDescription = "Neural machine translation with phrase-aware architectures.";

constexpr auto kSummaries = std::to_array<std::array<std::string_view, 2>>({
    {{"preprocess", "make a data folder from parallel text"}},
    {{"learn-bpe", "learn byte-pair encoding from text"}},
    {{"truecase", "learn and apply truecasing"}},
    {{"train", "train a model"}},
    {{"validate", "compute the loss of a checkpoint on a split of a data folder"}},
    {{"eval-lm", "compute the perplexity of a language model on a text"}},
    {{"generate", "translate a file or a test set"}},
    {{"interactive", "translate line by line, as lines arrive"}},
    {{"serve", "translate for other programs, over HTTP"}},
    {{"score", "compute BLEU, chrF and TER, with signatures and significance tests"}},
    {{"mbr", "choose translations from n-best lists by minimum Bayes risk"}},
    {{"rerank", "choose translations by the scores of several models"}},
    {{"rescore", "compute the log-probabilities of given translations"}},
    {{"gather", "merge the output of several processes"}},
    {{"analyze", "show attention, phrases, head importance and recorded tensors"}},
    {{"average", "average checkpoints"}},
    {{"import", "convert a model of another toolkit to a checkpoint"}},
    {{"export", "write a model in the format of another toolkit"}},
    {{"quantize", "store the parameters of a checkpoint in 8 or 16 bits"}},
    {{"replace-tensors", "replace tensors of a checkpoint"}},
    {{"inspect", "verify a checkpoint and print its contents"}},
    {{"plugins", "list, describe and check plugins; write the option pages"}},
    {{"phrase-table", "build and check phrase tables, show their matches"}},
    {{"shortlist", "build lexical shortlists, which speed up translation"}},
    {{"plot", "plot the learning curves of training runs"}},
    {{"compare", "compare the output of two or more systems"}},
    {{"new-plugin", "create a plugin from a template"}},
    {{"conformance", "run the conformance checks of a plugin ('plugins check' calls it)"}},
    {{"completion", "write a completion script for a shell"}},
    {{"doctor", "check this machine and this installation"}},
});

/// The folders that may contain commands: this program's own, then those of the PATH (absolute
/// ones).
std::vector<fs::path> command_folders() {
  std::vector<fs::path> folders = {phraseq::program_folder()};
  const char* variable = std::getenv("PATH");
  const std::string_view path = variable == nullptr ? "" : variable;
  for (const std::string_view folder : phraseq::filled_parts(path, ":")) {
    if (folder.starts_with('/'))
      folders.emplace_back(folder);
  }
  return folders;
}

/// The programs of all commands by name; the first folder takes precedence.
std::map<std::string, fs::path> find_commands() {
  constexpr std::string_view kPrefix = "phraseq-";
  std::map<std::string, fs::path> commands;
  for (const fs::path& folder : command_folders()) {
    std::error_code unreadable;
    for (const auto& entry : phraseq::entries_of(folder, unreadable)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(kPrefix) || access(entry.path().c_str(), X_OK) != 0)
        continue;
      commands.try_emplace(file.substr(kPrefix.size()), entry.path());
    }
  }
  return commands;
}

/// The program of a command; an empty path if there is none.
fs::path find_command(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return {};
  for (const fs::path& folder : command_folders()) {
    fs::path program = folder / ("phraseq-" + name);
    if (access(program.c_str(), X_OK) == 0)
      return program;
  }
  return {};
}

/// The manual page of all commands in the folder of this program.
int print_man_page() {
  fmt::print("{}.SH COMMANDS\n",
             phraseq::man_page(phraseq::OptionTable(), "", "COMMAND [OPTIONS]", kDescription));
  for (const auto& [name, summary] : kSummaries) {
    if (!find_command(std::string(name)).empty())
      fmt::print(".TP\n.BR phraseq\\-{} (1)\n{}\n", name, summary);
  }
  return phraseq::kExitOk;
}

int print_help() {
  auto commands = find_commands();
  fmt::print("Usage: phraseq COMMAND [OPTIONS]\n\n{}\n\nCommands:\n", kDescription);
  for (const auto& [name, summary] : kSummaries) {
    if (commands.erase(std::string(name)) > 0)
      fmt::print("  {:<16}{}\n", name, summary);
  }
  for (const auto& [name, path] : commands) fmt::print("  {:<16}{}\n", name, path.string());
  fmt::print(
      "\n'phraseq COMMAND --help' describes a command, 'phraseq --version' shows the build.\n");
  return phraseq::kExitOk;
}

/// Reports that a command's program is missing: only some targets were built, or only a part of
/// phraseq was installed.
[[noreturn]] void reject_missing(const std::string& name) {
  const fs::path folder = command_folders().front(), build = folder.parent_path();
  const bool is_build = fs::exists(build / "CMakeCache.txt");
  throw UsageError(
      fmt::format(
          "the program of '{}' is missing: {}", name, (folder / ("phraseq-" + name)).string()),
      is_build ? fmt::format("'cmake --build {}' builds all commands.", build.string())
               : "This installation is incomplete; install phraseq again.");
}

/// Commands of other toolkits, without the toolkit's prefix, and the corresponding commands of
/// phraseq.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"translate", "generate"},
    {"test", "generate"},
    {"decode", "generate"},
    {"decoder", "generate"},
    {"build-vocab", "preprocess"},
    {"build_vocab", "preprocess"},
    {"vocab", "preprocess"},
    {"scorer", "rescore"},
    {"server", "serve"},
    {"average-models", "average"},
    {"average_models", "average"},
    {"average_checkpoints", "average"},
    {"release_model", "export"},
    {"evaluate", "score"},
    {"sacrebleu", "score"},
    {"hydra-train", "train"},
    {"convert", "import"}};

std::string_view without_toolkit(std::string_view name) {
  for (const std::string_view toolkit : {"fairseq-", "onmt_", "marian-", "joeynmt-"}) {
    if (name.starts_with(toolkit))
      return name.substr(toolkit.size());
  }
  return name;
}

bool is_known(std::string_view name) {
  return std::ranges::any_of(kSummaries, [&](const auto& entry) { return entry[0] == name; });
}

/// The command of phraseq that corresponds to a command of another toolkit; empty if there is none.
std::string_view our_name(std::string_view given) {
  const std::string_view name = without_toolkit(given);
  for (const auto& [theirs, ours] : kOtherNames) {
    if (theirs == name)
      return ours;
  }
  return is_known(name) ? name : std::string_view();
}

[[noreturn]] void reject(const std::string& name) {
  if (is_known(name))
    reject_missing(name);
  std::vector<std::string> known;
  for (const auto& [command, path] : find_commands()) known.push_back(command);
  const std::string_view ours = our_name(name);
  const std::string guess = ours.empty() ? phraseq::did_you_mean(name, known)
                                         : fmt::format("it is called '{}' here", ours);
  throw UsageError(fmt::format("'{}' is not a command{}{}", name, guess.empty() ? "" : "; ", guess),
                   "phraseq --help lists the commands.");
}

/// How long a thread spins at a barrier before it sleeps. OpenMP's default is milliseconds: with
/// another program on the machine, threads then occupy their cores while they wait for a thread
/// that has no core. OpenMP reads the setting before a program's main starts, so it is set here.
void limit_spinning() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr)
    setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
}

/// Throws if the current folder was deleted: LibTorch's libraries cannot be loaded there.
void require_current_folder() {
  std::error_code problem;
  if (fs::current_path(problem).empty()) {
    throw phraseq::IoError("the current folder",
                           "use",
                           problem.value(),
                           "It was deleted or moved: change to a folder that exists.");
  }
}

int run_program(const std::string& name, std::span<const std::string> arguments) {
  const std::string program = find_command(name).string();
  if (program.empty())
    reject(name);
  require_current_folder();
  std::vector<const char*> argv = {program.c_str()};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  limit_spinning();
  if (name == "train")
    phraseq::hold_checkpoint_requests();
  execv(program.c_str(), const_cast<char* const*>(argv.data()));
  throw phraseq::IoError(program, "run", errno);
}

int front(std::span<const std::string> arguments) {
  if (arguments.empty()) {
    throw UsageError("no command was given", "phraseq --help lists the commands.");
  }
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() > 1) {
    const std::array<std::string, 1> help = {"--help"};
    return run_program(arguments[1], help);
  }
  if (first == "help" || first == "--help" || first == "-h")
    return print_help();
  if (first == "--help-man")
    return print_man_page();
  if (first.starts_with('-')) {
    throw UsageError(fmt::format("unknown option {}", first), "Options follow the command name.");
  }
  return run_program(first, arguments.subspan(1));
}

}  // namespace

int main(int argc, char** argv) {
  // If there is a command, --version belongs to it, so --version is handled here only as the sole
  // argument.
  const bool only_version = argc == 2 && std::string_view(argv[1]) == "--version";
  if (argc > 1 && !only_version) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const char* const none[] = {argv[0]};
    return phraseq::run_command(
        "", 1, none, [&](std::span<const std::string>) { return front(arguments); });
  }
  return phraseq::run_command("", argc, argv, front);
}
