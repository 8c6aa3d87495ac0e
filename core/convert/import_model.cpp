#include "core/convert/import_model.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/ctranslate2/ct2_import.h"
#include "core/convert/fairseq/fairseq_import.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/m2m100_import.h"
#include "core/convert/hf/marian_mt_import.h"
#include "core/convert/joeynmt/joeynmt_import.h"
#include "core/convert/marian/npz_import.h"
#include "core/convert/opennmt/opennmt_import.h"
#include "core/io/folders/folder_entries.h"
#include "core/options/enum_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

Toolkit toolkit_of_file(const fs::path& file) {
  if (file.extension() == ".npz")
    return Toolkit::kMarian;
  if (file.extension() == ".ckpt")
    return Toolkit::kJoeyNmt;
  return file.extension() == ".pt" && is_opennmt_checkpoint(file.string()) ? Toolkit::kOpenNmt
                                                                           : Toolkit::kFairseq;
}

Toolkit toolkit_of_folder(const fs::path& folder) {
  if (fs::exists(folder / "model.bin"))
    return Toolkit::kCTranslate2;
  for (const auto& entry : entries_of(folder)) {
    const Toolkit of_file = toolkit_of_file(entry.path());
    if (of_file == Toolkit::kMarian || of_file == Toolkit::kJoeyNmt)
      return of_file;
  }
  if (fs::exists(folder / "config.json"))
    return Toolkit::kHuggingFace;
  throw UsageError(
      fmt::format("{}: the folder contains no model: expected config.json (Hugging Face), "
                  "model.bin (CTranslate2), a .npz file (Marian) or a .ckpt file (JoeyNMT)",
                  folder.string()),
      "For a model of fairseq or OpenNMT-py, give its .pt file.");
}

/// model.safetensors, pytorch_model.bin, one of several (model-00001-of-00005.safetensors), or
/// their index.
bool is_part_of_folder(const std::string& name) {
  const bool begins = name.starts_with("model") || name.starts_with("pytorch_model");
  return begins && (name.ends_with(".safetensors") || name.ends_with(".bin") ||
                    name.ends_with(".index.json"));
}

/// The weights of some toolkits are nothing without the other files of their folder.
void reject_part_of_folder(const fs::path& file) {
  const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
  if (is_part_of_folder(file.filename().string()) && fs::exists(folder / "config.json"))
    throw UsageError(
        fmt::format("{}: is only a part of a model, which is a whole folder", file.string()),
        fmt::format("Give the folder '{}'.", folder.string()));
}

/// What was given, or what the file or the folder looks like.
Toolkit toolkit_of(const ForeignModel& model) {
  if (model.toolkit != Toolkit::kAuto)
    return model.toolkit;
  if (fs::is_directory(model.weights))
    return toolkit_of_folder(model.weights);
  reject_part_of_folder(model.weights);
  return toolkit_of_file(model.weights);
}

/// An option that a toolkit's models have no use for, where it is given.
void reject_unused(const std::string& value,
                   const char* name,
                   Toolkit toolkit,
                   std::initializer_list<Toolkit> users) {
  if (value.empty() || std::ranges::find(users, toolkit) != users.end())
    return;
  throw UsageError(
      fmt::format("--{} is not used for a model of {}", name, enum_name(kToolkitNames, toolkit)));
}

void check_files(const ForeignModel& model, Toolkit toolkit) {
  using enum Toolkit;
  reject_unused(model.data, "data", toolkit, {kFairseq});
  reject_unused(model.options, "options", toolkit, {kFairseq});
  reject_unused(model.sentencepiece,
                "sentencepiece",
                toolkit,
                {kFairseq, kCTranslate2, kMarian, kJoeyNmt, kOpenNmt});
  reject_unused(model.vocabs.empty() ? std::string() : model.vocabs.front(),
                "vocabs",
                toolkit,
                {kMarian, kJoeyNmt});
}

}  // namespace

ImportedModel import_model(const ForeignModel& model) {
  const Toolkit toolkit = toolkit_of(model);
  check_files(model, toolkit);
  switch (toolkit) {
    case Toolkit::kHuggingFace:
      return HfFolder(model.weights).model_type() == "m2m_100" ? import_m2m100(model)
                                                               : import_marian_mt(model);
    case Toolkit::kCTranslate2:
      return import_ctranslate2(model);
    case Toolkit::kMarian:
      return import_marian_npz(model);
    case Toolkit::kJoeyNmt:
      return import_joeynmt(model);
    case Toolkit::kOpenNmt:
      return import_opennmt(model);
    default:
      return import_fairseq(model);
  }
}

std::vector<std::string> files_of(const ForeignModel& model) {
  std::vector<std::string> files = model.vocabs;
  files.insert(files.end(), {model.weights, model.options, model.sentencepiece});
  for (const std::string& folder : {model.weights, model.data}) {
    std::error_code ignored;
    for (const auto& file : entries_of(folder, ignored)) files.push_back(file.path().string());
  }
  return files;
}

}  // namespace phraseq
