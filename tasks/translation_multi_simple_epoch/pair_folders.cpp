#include "tasks/translation_multi_simple_epoch/pair_folders.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/index_names.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

constexpr std::array<std::string_view, 3> kOwnLoaders = {"auto", "indexed", "text"};

/// The names of the pairs of which a folder has indexed data, or which have a folder of their own
/// in it.
std::set<std::string> pairs_in(const std::string& folder) {
  if (!std::filesystem::is_directory(folder))
    return {};
  std::set<std::string> names = indexed_pairs(folder);
  std::error_code problem;
  for (const auto& entry : entries_of(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(problem) && name.find('-') != std::string::npos)
      names.insert(name);
  }
  return names;
}

/// Whether a folder has data of a pair. Dictionaries alone do not count, because they may belong to
/// the pairs of the folders within.
bool has_data_of(const std::string& folder, const LanguagePair& pair) {
  const std::set<std::string> names = pairs_in(folder);
  return names.contains(pair.name()) ||
         names.contains(LanguagePair{pair.target, pair.source}.name()) ||
         (has_text_of(folder, pair.source) && has_text_of(folder, pair.target));
}

}  // namespace

PairFolders::PairFolders(std::vector<std::string> folders, const std::string& loader)
    : folders_(std::move(folders)),
      is_of_plugin_(std::find(kOwnLoaders.begin(), kOwnLoaders.end(), loader) ==
                    kOwnLoaders.end()) {}

void PairFolders::reject_missing(const LanguagePair& pair, const std::string& remedy) const {
  std::vector<std::string> others;
  std::copy_if(folders_.begin() + 1,
               folders_.end(),
               std::back_inserter(others),
               [&](const std::string& folder) { return has_data_of(folder, pair); });
  throw DataError(
      fmt::format(
          "{}: no data of the pair {}; the folder has {}{}",
          first(),
          pair.name(),
          fmt::join(pairs_in(first()), ", "),
          others.empty() ? "" : fmt::format("; the pair is in {}", fmt::join(others, ", "))),
      others.empty() ? remedy
                     : "The first of several data folders must have all pairs of --lang-pairs: "
                       "name such a folder first, or preprocess the pair into a folder of its name "
                       "within this one.");
}

std::string PairFolders::remedy_for(const LanguagePair& pair) const {
  return fmt::format(
      "Preprocess the pair into {}/{}, or remove it from --lang-pairs.", first(), pair.name());
}

std::string PairFolders::require_in_first(const LanguagePair& pair,
                                          const std::string& remedy) const {
  const bool is_plugins = is_of_plugin_ && pair_test({}, "", first())(pair);
  if (!pairs_in(first()).empty() && !is_plugins && !has_data_of(first(), pair))
    reject_missing(pair, remedy);
  return pair_folder(first(), pair);
}

/// Whether a folder, other than the first, has the data of a pair.
bool PairFolders::has_pair(const std::string& folder, const LanguagePair& pair) const {
  try {
    DataFolder::open(pair_folder(folder, pair), pair.source, pair.target);
  } catch (const UsageError&) {
    return false;  // it has other pairs
  }
  return is_of_plugin_ || has_data_of(folder, pair);
}

std::vector<std::string> PairFolders::places_of(const LanguagePair& pair) const {
  std::vector<std::string> places;
  for (const std::string& folder : folders_) {
    if (places.empty() || has_pair(folder, pair))
      places.push_back(pair_folder(folder, pair));
  }
  return places;
}

void PairFolders::require_use_of_all(const std::vector<LanguagePair>& pairs) const {
  for (size_t i = 1; i < folders_.size(); ++i) {
    const auto is_here = [&](const LanguagePair& pair) { return has_pair(folders_[i], pair); };
    if (std::any_of(pairs.begin(), pairs.end(), is_here))
      continue;
    const std::set<std::string> names = pairs_in(folders_[i]);
    throw DataError(
        fmt::format("{}: no data of any of the pairs {}; the folder has {}",
                    folders_[i],
                    to_string(pairs),
                    names.empty() ? "no language pair" : fmt::format("{}", fmt::join(names, ", "))),
        "Remove the folder from DATA, or preprocess one of the pairs into it.");
  }
}

}  // namespace phraseq
