#include "core/doctor/machine_report.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <langinfo.h>
#include <sched.h>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "core/base/memory/available_memory.h"
#include "core/io/folders/scratch_folder.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Instruction sets by which phraseq's kernels or LibTorch choose their code.
constexpr std::array<std::string_view, 16> kFeatures = {"sse4_2",
                                                        "avx",
                                                        "avx2",
                                                        "fma",
                                                        "f16c",
                                                        "avx512f",
                                                        "avx512bw",
                                                        "avx512vl",
                                                        "avx512_vnni",
                                                        "avx_vnni",
                                                        "avx512_bf16",
                                                        "amx_bf16",
                                                        "asimd",
                                                        "bf16",
                                                        "sve",
                                                        "i8mm"};

/// Environment variables that change the behavior of the programs.
constexpr std::array<std::string_view, 5> kVariables = {
    "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "LD_PRELOAD", "TMPDIR", "CUBLAS_WORKSPACE_CONFIG"};
constexpr std::array<std::string_view, 4> kPrefixes = {"PHRASEQ_", "OMP_", "GOMP_", "MKL_"};

/// The value of the first line "key : value" whose key is one of `keys`.
std::string first_value(const std::string& file, std::initializer_list<std::string_view> keys) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    const size_t end = line.find_last_not_of(" \t", colon - 1);
    const std::string key = line.substr(0, end + 1);
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      return line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
  }
  return {};
}

json feature_list() {
  std::istringstream words(first_value("/proc/cpuinfo", {"flags", "Features"}));
  std::set<std::string> present;
  for (std::string word; words >> word;) present.insert(word);
  json list = json::array();
  for (const std::string_view feature : kFeatures) {
    if (present.contains(std::string(feature)))
      list.push_back(feature);
  }
  return list;
}

json processor() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  const bool is_known = sched_getaffinity(0, sizeof(usable), &usable) == 0;
  const std::string model = first_value("/proc/cpuinfo", {"model name", "Model"});
  return {{"model", model.empty() ? json() : json(model)},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"usable_cores", is_known ? json(CPU_COUNT(&usable)) : json()},
          {"features", feature_list()}};
}

/// A value of /proc/meminfo, such as "16384 kB", in bytes.
json memory_line(std::string_view key) {
  const std::string text = first_value("/proc/meminfo", {key});
  return text.empty() ? json() : json(std::strtoll(text.c_str(), nullptr, 10) * 1024);
}

json memory_limit() {
  const auto limit = limit_of_control_groups();
  return limit ? json(*limit) : json();
}

json disk(const std::string& use, const fs::path& folder) {
  struct statvfs status {};
  const bool is_known = statvfs(folder.c_str(), &status) == 0;
  const auto bytes = [&](auto blocks) {
    return is_known ? json(static_cast<int64_t>(blocks) * static_cast<int64_t>(status.f_frsize))
                    : json();
  };
  return {{"use", use},
          {"folder", folder.string()},
          {"free_bytes", bytes(status.f_bavail)},
          {"total_bytes", bytes(status.f_blocks)},
          {"writable", access(folder.c_str(), W_OK) == 0}};
}

json disks() {
  std::error_code unknown;
  const fs::path current = fs::current_path(unknown);
  return {disk("current folder", current), disk("temporary files", folder_for_temporary_files())};
}

/// The locale of the environment, which differs from this process's C locale.
json locale() {
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  const char* name = std::setlocale(LC_CTYPE, "");
  json result = {{"name", name == nullptr ? json() : json(name)},
                 {"encoding", nl_langinfo(CODESET)}};
  std::setlocale(LC_CTYPE, before.c_str());
  return result;
}

json limits() {
  constexpr std::array<std::pair<const char*, int>, 5> kLimits = {{{"open_files", RLIMIT_NOFILE},
                                                                   {"file_size", RLIMIT_FSIZE},
                                                                   {"address_space", RLIMIT_AS},
                                                                   {"stack", RLIMIT_STACK},
                                                                   {"processes", RLIMIT_NPROC}}};
  json result = json::object();
  for (const auto& [name, number] : kLimits) {
    rlimit limit{};
    const bool is_set = getrlimit(static_cast<__rlimit_resource_t>(number), &limit) == 0 &&
                        limit.rlim_cur != RLIM_INFINITY;
    result[name] = is_set ? json(limit.rlim_cur) : json();
  }
  return result;
}

json environment() {
  json result = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool wanted =
        std::find(kVariables.begin(), kVariables.end(), name) != kVariables.end() ||
        std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
          return name.starts_with(prefix);
        });
    if (wanted && name.size() < text.size())
      result[std::string(name)] = text.substr(name.size() + 1);
  }
  return result;
}

std::string system_name() {
  utsname names{};
  uname(&names);
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

}  // namespace

json machine_report() {
  return {{"system", system_name()},
          {"processor", processor()},
          {"memory",
           {{"total_bytes", memory_line("MemTotal")},
            {"available_bytes", memory_line("MemAvailable")},
            {"limit_bytes", memory_limit()}}},
          {"disk", disks()},
          {"locale", locale()},
          {"limits", limits()},
          {"environment", environment()}};
}

}  // namespace phraseq
