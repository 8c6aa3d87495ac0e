#include "core/text/languages/language_pairs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/line_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return kWhiteSpace.find(c) != std::string_view::npos; });
  return text;
}

bool is_file(const std::string& name) {
  std::error_code problem;
  return fs::is_regular_file(name, problem);
}

/// All divisions of a text into two languages: "en-pt-BR" into en and pt-BR, or en-pt and BR.
/// Languages contain no slash or space.
std::vector<LanguagePair> divisions(const std::string& text) {
  std::vector<LanguagePair> pairs;
  if (text.find('/') != std::string::npos || text.find_first_of(kWhiteSpace) != std::string::npos)
    return pairs;
  for (size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    if (at > 0 && at + 1 < text.size())
      pairs.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return pairs;
}

[[noreturn]] void reject_several(const std::string& text, const std::vector<LanguagePair>& pairs) {
  std::vector<std::string> names;
  for (const LanguagePair& pair : pairs)
    names.push_back(fmt::format("{} to {}", pair.source, pair.target));
  throw UsageError(fmt::format("--lang-pairs: '{}' is {}", text, fmt::join(names, " or ")),
                   "Rename a language, or list only the intended languages with --langs.");
}

LanguagePair parse_pair(const std::string& text, const PairTest& exists) {
  std::vector<LanguagePair> pairs = divisions(text);
  if (pairs.size() > 1)
    std::erase_if(pairs, [&](const LanguagePair& pair) { return !exists || !exists(pair); });
  if (pairs.size() > 1)
    reject_several(text, pairs);
  if (pairs.empty()) {
    throw UsageError(fmt::format("--lang-pairs: '{}' is not a language pair", text),
                     "Give pairs as SOURCE-TARGET, separated by commas: en-de,de-en. A language "
                     "with a hyphen must be in --langs, or in the data.");
  }
  return pairs.front();
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  LineReader reader(file);
  for (std::string line; reader.next(line);) {
    line = without_spaces(line);
    if (!line.empty())
      lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> languages_of(const std::vector<LanguagePair>& pairs) {
  std::set<std::string> names;
  for (const LanguagePair& pair : pairs) names.insert({pair.source, pair.target});
  return {names.begin(), names.end()};
}

bool has_dictionary_or_text(const std::string& folder, const std::string& language) {
  return is_file(fmt::format("{}/dict.{}.txt", folder, language)) || has_text_of(folder, language);
}

void require_known(const std::vector<std::string>& languages,
                   const std::vector<LanguagePair>& pairs) {
  for (const std::string& name : languages_of(pairs)) {
    if (std::find(languages.begin(), languages.end(), name) == languages.end()) {
      throw UsageError(fmt::format("--lang-pairs has the language '{}', which is not among the "
                                   "languages {}",
                                   name,
                                   fmt::join(languages, ", ")),
                       "Add it at the end of --langs or --lang-dict.");
    }
  }
  std::set<std::string> seen;
  for (const std::string& name : languages) {
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("--langs: '{}' is listed twice", name));
  }
}

}  // namespace

std::vector<LanguagePair> parse_language_pairs(const std::string& text, const PairTest& exists) {
  const std::string list = is_file(text) ? read_file(text) : text;
  std::vector<LanguagePair> pairs;
  for (const std::string_view part : split_text(list, ",")) {
    const LanguagePair pair = parse_pair(std::string(trimmed(part, kWhiteSpace)), exists);
    if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end())
      throw UsageError(fmt::format("--lang-pairs: {} is listed twice", pair.name()));
    pairs.push_back(pair);
  }
  return pairs;
}

PairTest pair_test(const std::vector<std::string>& listed,
                   const std::string& file,
                   const std::string& folder) {
  const std::vector<std::string> languages = file.empty() ? listed : lines_of(file);
  if (languages.empty()) {
    return [folder](const LanguagePair& pair) {
      const std::string place = pair_folder(folder, pair);
      return has_dictionary_or_text(place, pair.source) &&
             has_dictionary_or_text(place, pair.target);
    };
  }
  return [languages](const LanguagePair& pair) {
    return std::count(languages.begin(), languages.end(), pair.source) > 0 &&
           std::count(languages.begin(), languages.end(), pair.target) > 0;
  };
}

bool has_text_of(const std::string& folder, const std::string& language) {
  std::error_code ignored;
  return std::ranges::any_of(entries_of(folder, ignored), [&](const auto& entry) {
    const std::string name = entry.path().filename().string();
    return name.ends_with("." + language) || name.ends_with("." + language + ".gz");
  });
}

std::string to_string(const std::vector<LanguagePair>& pairs) {
  std::string text;
  for (const LanguagePair& pair : pairs) text += (text.empty() ? "" : ", ") + pair.name();
  return text;
}

std::vector<std::string> known_languages(const std::vector<std::string>& listed,
                                         const std::string& file,
                                         const std::vector<LanguagePair>& pairs) {
  std::vector<std::string> languages = listed;
  if (!file.empty())
    languages = lines_of(file);
  if (languages.empty())
    languages = languages_of(pairs);
  require_known(languages, pairs);
  return languages;
}

std::string pair_folder(const std::string& folder, const LanguagePair& pair) {
  for (const LanguagePair& named : {pair, LanguagePair{pair.target, pair.source}}) {
    const std::string own = folder + "/" + named.name();
    if (fs::is_directory(own))
      return own;
  }
  return folder;
}

}  // namespace phraseq
