#include "core/doctor/training_step.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/launcher/launched_rank.h"
#include "core/io/atomic_file.h"
#include "core/io/folders/scratch_folder.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/program_output.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kLimit(300);  // for each of the two programs
constexpr const char* kSource =
    "a man walks\na woman walks\nthe man reads a book\nthe woman reads the book\na child plays\n"
    "the child reads\na man plays\nthe woman plays\n";
constexpr const char* kTarget =
    "ein Mann geht\neine Frau geht\nder Mann liest ein Buch\ndie Frau liest das Buch\n"
    "ein Kind spielt\ndas Kind liest\nein Mann spielt\ndie Frau spielt\n";

/// The problem of a program; null if it succeeded.
json failure_of(const std::string& program, const ProgramOutput& result) {
  if (result.exit_code == kExitOk)
    return nullptr;
  const std::string name = fs::path(program).filename().string();
  const std::string how =
      result.exit_code > 128
          ? fmt::format("was ended by a signal: {}", strsignal(result.exit_code - 128))
          : fmt::format("ended with exit code {}", result.exit_code);
  return {{"problem", fmt::format("{} {}\n{}", name, how, result.errors)},
          {"exit_code", result.exit_code}};
}

/// Runs a program as one process, and without the user's plugins, which are reported elsewhere.
json run_part(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> without = launcher_variables();
  without.emplace_back("PHRASEQ_PLUGIN_PATH");
  return failure_of(program, program_output(program, arguments, {without, kLimit}));
}

json preprocess_trial(const std::string& programs, const ScratchFolder& folder) {
  write_file(folder.file("train.en"), kSource);
  write_file(folder.file("train.de"), kTarget);
  return run_part(programs + "/phraseq-preprocess",
                  {"--source-lang",
                   "en",
                   "--target-lang",
                   "de",
                   "--trainpref",
                   folder.file("train"),
                   "--destdir",
                   folder.file("data")});
}

json train_trial(const std::string& programs, const ScratchFolder& folder) {
  return run_part(programs + "/phraseq-train",
                  {folder.file("data"),
                   "--arch",
                   "transformer_tiny",
                   "--max-tokens",
                   "400",
                   "--max-update",
                   "1",
                   "--log-interval",
                   "1",
                   "--disable-validation",
                   "--save-dir",
                   folder.file("run")});
}

json first_loss(const std::string& metrics) {
  std::ifstream stream(metrics);
  for (std::string line; std::getline(stream, line);) {
    const json record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object() && record.value("event", "") == "train")
      return record.value("loss", json());
  }
  return nullptr;
}

json result_of(const ScratchFolder& folder) {
  const json run = json::parse(read_file(folder.file("run/run.json")));
  json result = {{"loss", first_loss(folder.file("run/metrics.jsonl"))}};
  for (const char* name : {"device", "threads", "processor_level", "cuda", "cuda_devices"})
    result[name] = run.value(name, json());
  if (!result["loss"].is_number())
    return {{"problem", "phraseq-train reported no finite loss"}, {"exit_code", kExitDivergence}};
  return result;
}

}  // namespace

json training_step(const std::string& programs) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const ScratchFolder folder("doctor");
    json failure = preprocess_trial(programs, folder);
    if (failure.is_null())
      failure = train_trial(programs, folder);
    if (!failure.is_null())
      return failure;
    json result = result_of(folder);
    result["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  } catch (const Error& failure) {
    return {{"problem", failure.what()}, {"exit_code", failure.exit_code()}};
  } catch (const std::exception& failure) {
    return {{"problem", failure.what()}, {"exit_code", kExitIo}};
  }
}

}  // namespace phraseq
