#include "core/options/files/file_problems.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text_fields.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// Whether the values of an option are names of files, according to its placeholder in --help.
bool names_files(const OptionField& field) {
  constexpr std::string_view kOthers[] = {
      "CHECKPOINT", "MODEL", "REF", "RUN", "TABLE", "TENSORS", "TSV"};
  return field.metavariable.find("FILE") != std::string::npos ||
         std::ranges::any_of(kOthers, [&](std::string_view other) {
           return field.metavariable.starts_with(other);
         });
}

std::vector<std::string> values_of(const OptionField& field) {
  if (const auto* const text = std::get_if<std::string*>(&field.target))
    return {**text};
  if (const auto* const texts = std::get_if<std::vector<std::string>*>(&field.target))
    return **texts;
  return {};
}

/// The files that a value may name: all of it, and the parts of FILE:FILE, FILE,FILE and NAME=FILE.
std::vector<std::string> files_in(const std::string& value) {
  std::vector<std::string> files = {value};
  for (const char* separator : {",", ":", "="}) {
    const std::vector<std::string> whole = files;
    for (const std::string& file : whole) {
      for (const auto part : filled_parts(file, separator)) files.emplace_back(part);
    }
  }
  return files;
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code missing;
  return fs::equivalent(one, other, missing);
}

bool reads(const OptionField& field, const std::string& file) {
  for (const std::string& value : values_of(field)) {
    const auto files = files_in(value);
    if (std::any_of(files.begin(), files.end(), [&](const std::string& other) {
          return is_same_file(file, other);
        }))
      return true;
  }
  return false;
}

/// The file that an option writes; empty for none, for "-" and for files without contents to lose,
/// such as devices.
std::string written_file(const OptionField& field) {
  const std::string file = values_of(field).front();
  std::error_code problem;
  const auto status = fs::status(file, problem);
  const bool can_be_lost = fs::is_regular_file(status) || !fs::exists(status);
  return file == "-" || !can_be_lost ? "" : file;
}

std::string full_path(const std::string& file) {
  std::error_code problem;
  return fs::weakly_canonical(fs::absolute(file, problem), problem).string();
}

/// The options that were given "-" as a file, once for each occurrence.
std::vector<std::string> readers_of_standard_input(const OptionTable& table) {
  std::vector<std::string> readers;
  for (const OptionField& field : table.fields()) {
    const bool may_be_text = field.metavariable.find('|') != std::string::npos;  // TEXT|FILE
    if (field.writes || field.origin == OptionOrigin::kDefault || !names_files(field) ||
        may_be_text)
      continue;
    for (const std::string& value : values_of(field)) {
      if (value == "-")
        readers.push_back("--" + field.name);
    }
  }
  return readers;
}

/// The problems of an option that writes `file`: inputs that it would overwrite.
std::vector<std::string> lost_inputs(const OptionTable& table,
                                     const std::string& config,
                                     const std::string& file) {
  std::vector<std::string> problems;
  const auto is_an_input = [&](std::string_view option) {
    problems.push_back(
        fmt::format("{}: is one of the inputs (--{}), which would be lost; write to another file",
                    file,
                    option));
  };
  for (const OptionField& field : table.fields()) {
    if (!field.writes && names_files(field) && reads(field, file))
      is_an_input(field.name);
  }
  if (!config.empty() && is_same_file(file, config))
    is_an_input("config");
  return problems;
}

}  // namespace

std::vector<std::string> file_problems(const OptionTable& table, const std::string& config) {
  std::vector<std::string> problems;
  if (const auto readers = readers_of_standard_input(table); readers.size() > 1)
    problems.push_back(
        fmt::format("standard input (-) can be read only once, but is given {} times: {}",
                    readers.size(),
                    fmt::join(readers, ", ")));
  std::vector<const OptionField*> written;
  for (const OptionField& field : table.fields()) {
    const std::string file = field.writes ? written_file(field) : "";
    if (file.empty())
      continue;
    for (std::string& problem : lost_inputs(table, config, file))
      problems.push_back(std::move(problem));
    for (const OptionField* other : written) {
      if (full_path(written_file(*other)) == full_path(file))
        problems.push_back(
            fmt::format("{}: is written by --{} and by --{}", file, other->name, field.name));
    }
    written.push_back(&field);
  }
  return problems;
}

}  // namespace phraseq
