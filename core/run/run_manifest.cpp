#include "core/run/run_manifest.h"

#include <array>
#include <thread>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/data/options_from_data.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"
#include "core/nn/kernels/processor_level.h"
#include "core/options/option_text.h"
#include "core/run/machine_share.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

std::string file_checksum(const std::string& path) {
  const MappedFile file(path);
  return fmt::format("{:08x}", crc32c(file.bytes()));
}

nlohmann::json describe_plugins(std::span<const LoadedPlugin> plugins) {
  nlohmann::json list = nlohmann::json::array();
  for (const LoadedPlugin& plugin : plugins) {
    list.push_back({{"name", plugin.name},
                    {"version", plugin.version},
                    {"file", plugin.file},
                    {"crc32c", file_checksum(plugin.file)}});
  }
  return list;
}

nlohmann::json describe_dictionary(const Dictionary& dictionary) {
  return {{"size", dictionary.size()}, {"crc32c", fmt::format("{:08x}", dictionary.fingerprint())}};
}

/// Every option with its value and where the value came from.
nlohmann::json describe_options(const OptionTable& table, const Task& task) {
  nlohmann::json options = to_json(table, /*with_origin=*/true);
  for (const std::string& name : names_from_data(table, task))
    options.at(option_key(name))["origin"] = "data";
  return options;
}

/// Name of a level, as in PHRASEQ_CPU_LEVEL.
std::string level_name(nn::kernels::Level level) {
  constexpr std::array<const char*, 3> kNames = {"baseline", "v3", "v4"};
  return kNames.at(static_cast<size_t>(level));
}

}  // namespace

int64_t parameter_count(const nn::FlatParameters& parameters) {
  int64_t count = 0;
  for (const auto& entry : parameters.entries()) count += entry.parameter.numel();
  return count;
}

nlohmann::json run_manifest(std::span<const std::string> arguments,
                            const OptionTable& table,
                            std::span<const LoadedPlugin> plugins,
                            const TranslationModel& translation_model,
                            const std::string& data_fingerprint) {
  const Task& task = *translation_model.task;
  return {
      {"command", "train"},
      {"arguments", std::vector<std::string>(arguments.begin(), arguments.end())},
      {"options", describe_options(table, task)},
      {"build",
       {{"phraseq", PHRASEQ_VERSION},
        {"libtorch", PHRASEQ_TORCH_VERSION},
        {"abi", PHRASEQ_ABI_TEXT},
        {"compiler", __VERSION__}}},
      {"plugins", describe_plugins(plugins)},
      {"vocabulary",
       {{"source", describe_dictionary(task.source_dictionary())},
        {"target", describe_dictionary(task.target_dictionary())}}},
      {"data", data_fingerprint},
      {"parameters", parameter_count(*translation_model.parameters)},
      {"device", translation_model.parameters->values().device().str()},
      {"threads", at::get_num_threads()},
      {"cores", std::thread::hardware_concurrency()},
      {"processor_level", level_name(nn::kernels::best_level())},
      {"cuda", at::hasCUDA()},
      {"cuda_devices", gpu_count()},
  };
}

}  // namespace phraseq
