#include "core/run/training/foreign_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestManifest = size_t{1} << 24;
constexpr size_t kLongestBeginning = size_t{1} << 16;

/// At most `size` bytes of a file; an empty text if there is none.
std::string beginning_of(const fs::path& file, size_t size) {
  std::error_code missing;
  if (!fs::is_regular_file(file, missing))
    return {};
  std::string text(std::min<uintmax_t>(size, fs::file_size(file, missing)), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

bool is_manifest(std::string_view text) {
  try {
    const nlohmann::json manifest = parse_json(text, "");
    return manifest.is_object() && manifest.contains("build") && manifest.contains("command") &&
           manifest.at("command") == "train";
  } catch (const FormatError&) {
    return false;
  }
}

bool is_metrics(std::string_view text) {
  return text.substr(0, text.find('\n')).find("\"event\":") != text.npos;
}

bool is_picture_of_curves(std::string_view text) {
  return text.find("<title>Learning curves") != text.npos;
}

void reject(const fs::path& file) {
  throw UsageError(
      fmt::format("{}: not a file of phraseq train, which writes one of this name", file.string()),
      "Give another --save-dir, or move this file to another folder.");
}

}  // namespace

void reject_foreign_files(const std::string& folder, bool draws_curves) {
  const fs::path manifest = fs::path(folder) / "run.json";
  const std::string manifest_text = beginning_of(manifest, kLongestManifest);
  if (is_manifest(manifest_text))
    return;  // the folder belongs to an earlier training
  if (!manifest_text.empty())
    reject(manifest);
  const fs::path metrics = fs::path(folder) / "metrics.jsonl";
  const std::string metrics_text = beginning_of(metrics, kLongestBeginning);
  if (!metrics_text.empty() && !is_metrics(metrics_text))
    reject(metrics);
  const fs::path picture = fs::path(folder) / "learning_curves.svg";
  const std::string picture_text = beginning_of(picture, kLongestBeginning);
  if (draws_curves && !picture_text.empty() && !is_picture_of_curves(picture_text))
    reject(picture);
}

}  // namespace phraseq
