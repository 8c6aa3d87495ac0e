#include "core/doctor/doctor_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/doctor/machine_report.h"
#include "core/doctor/plugin_report.h"
#include "core/doctor/training_step.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr double kGib = 1 << 30;
constexpr int64_t kMinDisk = int64_t{1} << 30;
constexpr int64_t kMinMemory = int64_t{1} << 29;
constexpr int64_t kMinFiles = 256;

/// Whether a number is known and below the required minimum.
bool is_below(const json& number, int64_t least) {
  return number.is_number() && number.get<double>() < static_cast<double>(least);
}

std::string bytes_text(const json& bytes) {
  return bytes.is_number() ? fmt::format("{:.1f} GiB", bytes.get<double>() / kGib) : "unknown";
}

class Judge {
 public:
  explicit Judge(json& report) : report_(report) { report_["problems"] = json::array(); }

  void machine() {
    const json& machine = report_.at("machine");
    for (const json& disk : machine.at("disk")) {
      const std::string folder = disk.at("folder");
      if (is_below(disk.at("free_bytes"), kMinDisk))
        add(kExitIo,
            "disk",
            fmt::format("{}: only {} free", folder, bytes_text(disk["free_bytes"])));
      if (!disk.at("writable").get<bool>())
        add(kExitIo, "disk", fmt::format("{}: cannot be written to", folder));
    }
    const json& memory = machine.at("memory");
    if (is_below(memory.at("available_bytes"), kMinMemory))
      add(kExitIo,
          "memory",
          fmt::format("only {} available", bytes_text(memory["available_bytes"])));
    limits(machine.at("limits"));
  }

  void plugins() {
    const json& plugins = report_.at("plugins");
    if (plugins.at("problem").is_string())
      add(kExitPlugin, "plugins", plugins["problem"]);
    for (const json& plugin : plugins.at("files")) {
      if (plugin.contains("problem"))
        add(kExitPlugin, "plugins", plugin["problem"]);
    }
    if (plugins.at("files").empty())
      add(kExitPlugin, "plugins", "no plugin was found: the installation is not complete");
  }

  void training() {
    const json& training = report_.at("training");
    if (training.contains("problem"))
      add(kExitBug, "training step", training["problem"]);
  }

  int exit_code() const { return exit_code_; }

 private:
  void limits(const json& limits) {
    if (is_below(limits.at("open_files"), kMinFiles))
      add(kExitIo,
          "limits",
          fmt::format("only {} open files (ulimit -n)", limits["open_files"].dump()));
    for (const auto& [name, flag] : {std::pair("file_size", "-f"), {"address_space", "-v"}}) {
      if (is_below(limits.at(name), 4 * kMinDisk))
        add(kExitIo,
            "limits",
            fmt::format("{}: {} (ulimit {})", name, bytes_text(limits[name]), flag));
    }
  }

  void add(int code, const char* part, const std::string& text) {
    report_["problems"].push_back({{"part", part}, {"text", text}});
    if (exit_code_ == kExitOk || code < exit_code_)
      exit_code_ = code;
  }

  json& report_;
  int exit_code_ = kExitOk;
};

/// Adds the problems of the report and the exit code.
void judge(json& report) {
  Judge judge(report);
  judge.training();
  judge.plugins();
  judge.machine();
  report["exit_code"] = judge.exit_code();
}

/// A row of the page: a title such as "Memory", and a text.
std::string row(std::string_view title, std::string_view text) {
  return fmt::format("{:<13}{}\n", title, text);
}

std::string text_or(const json& value, std::string_view fallback) {
  if (value.is_string())
    return value;
  return value.is_null() ? std::string(fallback) : value.dump();
}

std::string list_text(const json& names) {
  std::vector<std::string> words;
  for (const json& name : names) words.push_back(name);
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

std::string processor_rows(const json& processor) {
  return row("Processor",
             fmt::format("{}, {} cores, {} usable",
                         text_or(processor.at("model"), "unknown model"),
                         processor.at("cores").dump(),
                         text_or(processor.at("usable_cores"), "?"))) +
         row("", list_text(processor.at("features")));
}

std::string memory_row(const json& memory) {
  const json& limit = memory.at("limit_bytes");
  return row("Memory",
             fmt::format("{} of {} available{}",
                         bytes_text(memory.at("available_bytes")),
                         bytes_text(memory.at("total_bytes")),
                         limit.is_null() ? "" : ", limited to " + bytes_text(limit)));
}

std::string disk_row(const json& disk) {
  return row("Disk",
             fmt::format("{} of {} free in {} ({})",
                         bytes_text(disk.at("free_bytes")),
                         bytes_text(disk.at("total_bytes")),
                         disk.at("folder").get<std::string>(),
                         disk.at("use").get<std::string>()));
}

std::string locale_row(const json& locale) {
  return row("Locale",
             fmt::format("{}, {}; phraseq reads and writes UTF-8",
                         text_or(locale.at("name"), "not installed"),
                         locale.at("encoding").get<std::string>()));
}

std::string limits_row(const json& limits) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : limits.items())
    texts.push_back(fmt::format("{} {}", name, text_or(value, "unlimited")));
  return row("Limits", fmt::format("{}", fmt::join(texts, ", ")));
}

std::string machine_rows(const json& machine) {
  std::string text = row("System", machine.at("system").get<std::string>());
  text += processor_rows(machine.at("processor"));
  text += memory_row(machine.at("memory"));
  for (const json& disk : machine.at("disk")) text += disk_row(disk);
  text += locale_row(machine.at("locale"));
  text += limits_row(machine.at("limits"));
  for (const auto& [name, value] : machine.at("environment").items())
    text += row("Environment", fmt::format("{}={}", name, value.get<std::string>()));
  return text;
}

std::string plugin_rows(const json& plugins) {
  std::string text;
  for (const json& folder : plugins.at("folders"))
    text += row("Plugins in", folder.get<std::string>());
  std::vector<std::string> loaded;
  for (const json& plugin : plugins.at("files")) {
    if (!plugin.contains("problem"))
      loaded.push_back(fmt::format(
          "{} {}", plugin.at("name").get<std::string>(), plugin.at("version").get<std::string>()));
  }
  return text + row("Plugins",
                    fmt::format("{} of {} can be used: {}",
                                loaded.size(),
                                plugins.at("files").size(),
                                fmt::join(loaded, ", ")));
}

std::string threads_text(const json& threads) {
  return threads.is_number_integer() ? counted(threads, "thread") : "threads unknown";
}

std::string training_rows(const json& training, const std::string& libtorch) {
  if (training.contains("problem"))
    return row("LibTorch", libtorch) + row("Training", "failed, see below");
  const std::string cuda =
      training.at("cuda") == true
          ? fmt::format("CUDA devices: {}", text_or(training.at("cuda_devices"), "?"))
          : "no CUDA device";
  return row("LibTorch", fmt::format("{}, {}", libtorch, cuda)) +
         row("Kernels", text_or(training.at("processor_level"), "unknown level")) +
         row("Training",
             fmt::format("one update of transformer_tiny: loss {:.4f} on {}, {}, {:.1f} s",
                         training.at("loss").get<double>(),
                         text_or(training.at("device"), "?"),
                         threads_text(training.at("threads")),
                         training.at("seconds").get<double>()));
}

std::string problem_rows(const json& problems) {
  if (problems.empty())
    return row("Problems", "none");
  std::string text = fmt::format("Problems     {}\n", problems.size());
  for (const json& problem : problems)
    text += fmt::format(
        "  {}: {}\n", problem.at("part").get<std::string>(), problem.at("text").get<std::string>());
  return text;
}

}  // namespace

json doctor_report(std::span<const std::string> plugin_folders, const std::string& programs) {
  json report = {{"phraseq",
                  {{"version", PHRASEQ_VERSION},
                   {"abi", PHRASEQ_ABI_TEXT},
                   {"compiler", __VERSION__},
                   {"libtorch", PHRASEQ_TORCH_VERSION},
                   {"programs", programs}}},
                 {"machine", machine_report()},
                 {"plugins", plugin_report(plugin_folders)},
                 {"training", training_step(programs)}};
  judge(report);
  return report;
}

std::string doctor_page(const json& report) {
  const json& build = report.at("phraseq");
  return row("phraseq",
             build.at("version").get<std::string>() + " in " +
                 build.at("programs").get<std::string>()) +
         row("Build", build.at("abi").get<std::string>()) +
         row("Compiler", build.at("compiler").get<std::string>()) +
         machine_rows(report.at("machine")) + plugin_rows(report.at("plugins")) +
         training_rows(report.at("training"), build.at("libtorch").get<std::string>()) +
         problem_rows(report.at("problems"));
}

}  // namespace phraseq
