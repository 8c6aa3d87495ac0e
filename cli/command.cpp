#include "cli/command.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <new>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/out_of_memory.h"
#include "core/base/unfinished_files.h"
#include "core/base/wording/message_text.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/mapping/lost_mappings.h"
#include "core/io/standard_streams.h"
#include "core/io/utf8.h"
#include "core/options/command_line.h"
#include "core/options/fairseq/fairseq_arguments.h"
#include "core/options/man_page.h"
#include "core/options/option_json.h"
#include "core/options/option_text.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

/// "phraseq train"; the front program has no command name.
std::string program_name(const std::string& name) {
  return name.empty() ? "phraseq" : "phraseq " + name;
}

/// Prints an error; does not throw, because standard error may be closed or full.
void print_error(const std::string& name, std::string_view text) {
  std::cout.flush();
  const std::string line =
      fmt::format("{}: error: {}\n", program_name(name), shortened_message(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// Prints a line about a flag of fairseq.
void print_note(const std::string& name, std::string_view text) {
  const std::string line = fmt::format("{}: note: {}\n", program_name(name), text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int report_system_error(const std::string& name, const std::string& path, int error_number) {
  print_error(name, IoError(path, "use", error_number).what());
  return kExitIo;
}

int report_no_thread(const std::string& name) {
  print_error(
      name,
      "cannot start another thread or process\n  Use fewer --threads and --workers, or raise "
      "the limit: ulimit -u, or the pids limit of the container.");
  return kExitIo;
}

int report_no_memory(const std::string& name, std::string_view what) {
  print_error(name, OutOfMemory(what).what());
  return kExitIo;
}

int report_bug(const std::string& name, std::string_view what) {
  print_error(name,
              fmt::format("{}\n  This is a bug in phraseq {} or in a plugin: please report it with "
                          "the command and this text.",
                          what,
                          PHRASEQ_VERSION));
  return kExitBug;
}

/// Throws UsageError for arguments that are not UTF-8: files and checkpoints record names and
/// values as JSON.
void check_encoding(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    const auto fault = find_text_fault(argument, ControlBytes::kAllow);
    if (!fault)
      continue;
    throw UsageError(fmt::format("'{}': not valid UTF-8: {} ({})",
                                 excerpt(repair_text(argument, ControlBytes::kAllow)),
                                 to_string(fault->defect),
                                 escape_bytes(argument.substr(fault->offset, fault->length))),
                     "Rename the file, or give the value in UTF-8.");
  }
}

int run_caught(const std::string& name,
               std::span<const std::string> arguments,
               const std::function<int(std::span<const std::string>)>& command) {
  try {
    check_encoding(arguments);
    return command(arguments);
  } catch (const Error& failure) {
    print_error(name, failure.what());
    return failure.exit_code();
  } catch (const std::bad_alloc& failure) {
    return report_no_memory(name, failure.what());
  } catch (const std::filesystem::filesystem_error& failure) {
    const std::string path = failure.path1().string();
    return report_system_error(
        name, path.empty() ? "a file or folder" : path, failure.code().value());
  } catch (const std::system_error& failure) {
    if (std::ferror(stdout) != 0)
      return kExitOk;  // fmt::print throws; finish_output reports it
    if (failure.code() == std::errc::resource_unavailable_try_again)
      return report_no_thread(name);
    return report_system_error(name, "a system resource", failure.code().value());
  } catch (const std::exception& failure) {
    if (means_out_of_memory(failure.what()))
      return report_no_memory(name, failure.what());
    return report_bug(name, failure.what());
  } catch (...) {
    return report_bug(name, "an exception that does not derive from std::exception was thrown");
  }
}

/// Whether the reader of standard output has exited.
bool reader_has_left() {
  pollfd descriptor{STDOUT_FILENO, POLLOUT, 0};
  return poll(&descriptor, 1, 0) > 0 && (descriptor.revents & POLLERR) != 0;
}

/// Whether standard output was closed when the process began (see prepare_standard_streams).
bool output_is_closed() { return (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY; }

/// Flushes standard output and returns the exit code: if not everything could be written, the
/// command has failed, unless its reader has exited.
int finish_output(const std::string& name, int code) {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if ((flushed && std::cout.good() && std::ferror(stdout) == 0) || reader_has_left())
    return code;
  // After an earlier failure, the reason is no longer known, except that a closed stream stays so.
  const int known = output_is_closed() ? EBADF : reason;
  print_error(name,
              known == 0 ? "standard output: cannot write everything; is the disk full?"
                         : IoError("standard output", "write", known).what());
  return code == kExitOk ? static_cast<int>(kExitIo) : code;
}

/// Ends the process. The destructors of LibTorch's static objects take 0.03 s and only free what
/// the system frees anyway; memory checkers, however, report when a process ends as usual.
int leave(int code) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::cerr.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}

}  // namespace

int run_command(const std::string& name,
                int argc,
                const char* const* argv,
                const std::function<int(std::span<const std::string>)>& command) {
  prepare_standard_streams();
  remove_unfinished_on_signals();
  std::atexit(remove_unfinished);  // libgomp calls exit if it cannot start a thread
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  report_lost_mappings(program_name(name));
  std::signal(SIGCHLD, SIG_DFL);  // if it were ignored, child processes could not be waited for
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const bool short_version = std::find(arguments.begin(), end, "-V") != end;
  if (short_version || peek_flag(arguments, "version")) {
    fmt::print("{} {} ({})\n", program_name(name), PHRASEQ_VERSION, PHRASEQ_ABI_TEXT);
    return leave(finish_output(name, kExitOk));
  }
  return leave(finish_output(name, run_caught(name, arguments, command)));
}

bool answer_help(const OptionTable& table,
                 const CommandText& command,
                 std::span<const std::string> arguments) {
  if (peek_flag(arguments, "help-markdown")) {
    const std::string page =
        fmt::format("{}\n\n    phraseq {} {}", command.description, command.name, command.usage);
    std::cout << markdown_text(table, fmt::format("phraseq {}", command.name), page);
    return true;
  }
  if (peek_flag(arguments, "help-man")) {
    std::cout << man_page(table, command.name, command.usage, command.description);
    return true;
  }
  if (peek_flag(arguments, "help-json")) {
    std::cout << option_json(table, command.name, command.description).dump() << '\n';
    return true;
  }
  if (!peek_flag(arguments, "help"))
    return false;
  std::cout << help_text(
      table, fmt::format("phraseq {} {}", command.name, command.usage), command.description);
  return true;
}

bool begin_command(OptionTable& table,
                   const CommandText& command,
                   std::span<const std::string> arguments,
                   const std::function<std::vector<std::string>()>& problems,
                   const ExplainOption& explain_unknown) {
  if (answer_help(table, command, arguments))
    return false;
  const fairseq::ConvertedArguments converted =
      fairseq::convert_flags(command.name, table, arguments);
  for (const std::string& note : converted.notes) print_note(std::string(command.name), note);
  const auto all_problems = [&] {
    std::vector<std::string> found = problems ? problems() : std::vector<std::string>();
    found.insert(found.begin(), converted.problems.begin(), converted.problems.end());
    return found;
  };
  parse_command_line(table, converted.arguments, all_problems, explain_unknown);
  if (!peek_flag(arguments, "print-config"))
    return true;
  std::cout << print_config(table);
  return false;
}

bool begin_command(Options& options,
                   const CommandText& command,
                   std::span<const std::string> arguments) {
  OptionTable table;
  options.describe(table);
  return begin_command(table, command, arguments, [&] { return options.problems(); });
}

std::filesystem::path program_folder() {
  constexpr const char* kProgram = "/proc/self/exe";
  std::error_code problem;
  const auto program = std::filesystem::read_symlink(kProgram, problem);
  if (problem)
    throw IoError(
        kProgram, "read", problem.value(), "Mount /proc: a command finds the others through it.");
  return program.parent_path();
}

std::vector<std::filesystem::path> command_programs() {
  namespace fs = std::filesystem;
  std::vector<fs::path> programs;
  for (const auto& entry : entries_of(program_folder())) {
    const bool is_program = entry.is_regular_file() && access(entry.path().c_str(), X_OK) == 0;
    if (is_program && entry.path().filename().string().starts_with("phraseq-"))
      programs.push_back(entry.path());
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

}  // namespace phraseq
