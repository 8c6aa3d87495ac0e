// phraseq doctor: describes this machine and this installation on one page, for a bug report.

#include <iostream>
#include <string>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/doctor/doctor_report.h"
#include "core/plugin/loader.h"
#include "core/plugin/plugin_options.h"

namespace {

using namespace phraseq;

struct DoctorOptions final : Options {
  bool json = false;
  PluginOptions plugins;

  void describe(OptionTable& table) override {
    table.field("json", json, "Print everything as one JSON object.");
    plugins.describe(table);
  }
};

int doctor(std::span<const std::string> arguments) {
  DoctorOptions options;
  if (!begin_command(
          options,
          {"doctor",
           "[--json] [--plugin-dir DIR,...]",
           "Checks this machine and this installation: processor, memory, disk, limits, plugins, "
           "and one update of a small Transformer. Add the output to bug reports. Exit code: 0 = "
           "no problem, 1 = the training step failed, 5 = a plugin cannot be used, 6 = a problem "
           "with the disk, the memory or a system limit."},
          arguments))
    return kExitOk;
  const std::string programs = program_folder().string();
  const auto report = doctor_report(plugin_search_path(options.plugins.plugin_dir), programs);
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  std::cout << (options.json ? report.dump(2, ' ', false, kReplace) + "\n" : doctor_page(report));
  return report.at("exit_code");
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("doctor", argc, argv, doctor); }
