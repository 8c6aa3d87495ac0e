#include "core/doctor/plugin_report.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/base/posix/wait_for_child.h"
#include "core/io/memory_file.h"
#include "core/plugin/loader.h"
#include "core/plugin/registry.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr unsigned kLoadSeconds = 60;  // for one plugin

/// The report on one plugin; adds its components to the registry.
json loaded_report(Registry& registry, const std::string& file) {
  const size_t before = registry.components().size();
  try {
    const LoadedPlugin plugin = load_plugin_file(registry, file);
    return {{"file", file},
            {"name", plugin.name},
            {"version", plugin.version},
            {"components", registry.components().size() - before}};
  } catch (const std::exception& failure) {
    return {{"file", file}, {"problem", failure.what()}};
  }
}

/// Runs in the child process: writes a line for each plugin at once, because the next plugin may
/// end the process.
[[noreturn]] void report_each(const std::vector<std::string>& files, size_t first, int descriptor) {
  Registry registry;
  for (size_t i = first; i < files.size(); ++i) {
    alarm(kLoadSeconds);
    const std::string line =
        loaded_report(registry, files[i]).dump(-1, ' ', false, json::error_handler_t::replace) +
        "\n";
    if (write(descriptor, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      _exit(kExitIo);
  }
  _exit(kExitOk);
}

std::string ending_text(int status) {
  if (!WIFSIGNALED(status))
    return fmt::format("ends the process that loads it with exit code {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM)
    return fmt::format("did not load within {} s", kLoadSeconds);
  return fmt::format("terminates the process that loads it: {}", strsignal(WTERMSIG(status)));
}

/// Appends the reports on the plugins from `first` on, up to the plugin that ended the child
/// process, if any.
void report_from(const std::vector<std::string>& files, size_t first, json& reports) {
  const MemoryFile output(files[first]);
  const pid_t child = fork();
  if (child < 0)
    throw IoError(files[first], "start a process to load", errno);
  if (child == 0)
    report_each(files, first, output.descriptor());
  const int status = wait_for_child(child);
  const std::string text = output.content();
  // An incomplete last line is ignored: the child process ended before it was written.
  size_t at = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    reports.push_back(json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  if (reports.size() < files.size())
    reports.push_back({{"file", files[reports.size()]}, {"problem", ending_text(status)}});
}

}  // namespace

json plugin_report(std::span<const std::string> folders) {
  json report = {{"folders", json::array()}, {"files", json::array()}, {"problem", nullptr}};
  for (const std::string& folder : folders) {
    if (std::filesystem::is_directory(folder))
      report["folders"].push_back(folder);
  }
  std::vector<std::string> files;
  try {
    files = find_plugin_files(folders);
  } catch (const Error& failure) {
    report["problem"] = failure.what();
  }
  json& reports = report["files"];
  while (reports.size() < files.size()) report_from(files, reports.size(), reports);
  return report;
}

}  // namespace phraseq
