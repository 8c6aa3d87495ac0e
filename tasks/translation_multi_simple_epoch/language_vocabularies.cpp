#include "tasks/translation_multi_simple_epoch/language_vocabularies.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/data/joined/data_folders.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

constexpr const char* kRemedy =
    "Preprocess all language pairs with the same --srcdict, --tgtdict and --subword-model; see "
    "docs/guide/multilingual.md.";
constexpr const char* kFirstBlob = "source_tokenizer";  // the name that other tasks use

std::vector<LanguagePair> pairs_of(const MultilingualOptions& options, const std::string& folder) {
  if (options.lang_pairs.empty()) {
    throw UsageError("--lang-pairs is missing",
                     "List the language pairs to train on: --lang-pairs en-de,de-en.");
  }
  return parse_language_pairs(options.lang_pairs,
                              pair_test(options.langs, options.lang_dict, folder));
}

/// Collects the settings that all pairs must share, pair by pair.
class Gathering {
 public:
  Gathering(LanguageVocabularies& made, std::string folder)
      : made_(made), folder_(std::move(folder)) {}

  void add(const LanguagePair& pair, Vocabularies found) {
    place_ = pair_folder(folder_, pair);
    if (source_ && (found.tokenizer != made_.tokenizer ||
                    found.tokenizer_options != made_.tokenizer_options)) {
      refuse(fmt::format("the tokenizer is {} {}, but that of {} is {} {}",
                         found.tokenizer,
                         found.tokenizer_options.dump(),
                         made_.pairs.front().name(),
                         made_.tokenizer,
                         made_.tokenizer_options.dump()));
    }
    made_.tokenizer = found.tokenizer;
    made_.tokenizer_options = std::move(found.tokenizer_options);
    take(found.source, source_, made_.source);
    take(found.target, target_, made_.target);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw FormatError(fmt::format("{}: {}", place_, problem), kRemedy);
  }

  void take(Vocabularies::Side& side, std::optional<std::string>& first, Dictionary& dictionary) {
    if (!first) {
      first = side.language;
      dictionary = std::move(side.dictionary);
    } else if (!(side.dictionary == dictionary)) {
      refuse(fmt::format("dict.{}.txt is not dict.{}.txt: {}",
                         side.language,
                         *first,
                         dictionary_difference(side.dictionary, dictionary)));
    }
    const auto known = made_.models.find(side.language);
    if (known != made_.models.end() && known->second != side.model)
      refuse(
          fmt::format("the subword model of {} differs from that of another pair", side.language));
    made_.models[side.language] = std::move(side.model);
  }

  LanguageVocabularies& made_;
  std::string folder_;
  std::string place_;
  std::optional<std::string> source_, target_;  ///< languages that the dictionaries come from
};

Vocabularies vocabularies_of(const PairFolders& folders,
                             const LanguagePair& pair,
                             const TokenizerFiles& files) {
  const std::string place = folders.require_in_first(pair, folders.remedy_for(pair));
  try {
    return Vocabularies::from_folder(place, pair.source, pair.target, files);
  } catch (const UsageError& failure) {
    throw DataError(
        fmt::format("{}: no data of the pair {}: {}", place, pair.name(), failure.message()),
        folders.remedy_for(pair));
  }
}

nlohmann::json names_of(const std::vector<LanguagePair>& pairs) {
  nlohmann::json names = nlohmann::json::array();
  for (const LanguagePair& pair : pairs) names.push_back({pair.source, pair.target});
  return names;
}

/// A text of the state that contains JSON.
class StoredJson {
 public:
  StoredJson(const TaskState& state, const std::string& name)
      : place_(state.place_of(name)), value_(parse_json(state.text(name), place_)) {}
  JsonEntry entry() const { return JsonEntry(value_, place_); }
  const nlohmann::json& value() const { return value_; }

 private:
  std::string place_;
  nlohmann::json value_;
};

std::vector<LanguagePair> pairs_of(const TaskState& state) {
  std::vector<LanguagePair> pairs;
  const StoredJson stored(state, "lang_pairs");
  for (const JsonEntry& pair : stored.entry().items()) {
    const auto both = pair.items();
    if (both.size() != 2)
      throw FormatError(state.place_of("lang_pairs") + " has an entry that is not a pair");
    pairs.push_back({both[0].text(), both[1].text()});
  }
  return pairs;
}

std::map<std::string, std::string> models_of(const TaskState& state) {
  std::map<std::string, std::string> models;
  const StoredJson names(state, "models");
  for (const auto& [language, blob] : names.entry().members()) {
    const auto found = state.blobs.find(blob.text());
    if (found == state.blobs.end()) {
      throw FormatError(
          fmt::format(
              "the checkpoint does not contain blob.{}, the model of {}", blob.text(), language),
          "The checkpoint is damaged.");
    }
    models[language] = found->second;
  }
  return models;
}

/// Adds each distinct model once; returns the names of the models by language.
nlohmann::json add_models(TaskState& state, const std::map<std::string, std::string>& models) {
  nlohmann::json names = nlohmann::json::object();
  std::map<std::string, std::string> name_of;
  for (const auto& [language, model] : models) {
    if (model.empty())
      continue;
    const std::string fresh = name_of.empty() ? kFirstBlob : "tokenizer." + language;
    const auto& [place, is_new] = name_of.emplace(model, fresh);
    names[language] = place->second;
    state.blobs[place->second] = model;
  }
  return names;
}

}  // namespace

LanguageVocabularies LanguageVocabularies::from_folders(const PairFolders& folders,
                                                        const MultilingualOptions& options) {
  LanguageVocabularies made;
  made.pairs = pairs_of(options, folders.first());
  made.languages = known_languages(options.langs, options.lang_dict, made.pairs);
  Gathering gathering(made, folders.first());
  for (const LanguagePair& pair : made.pairs)
    gathering.add(pair, vocabularies_of(folders, pair, options.tokenizer_files()));
  add_language_tokens(made.source, made.languages, options.lang_tok_style);
  add_language_tokens(made.target, made.languages, options.lang_tok_style);
  return made;
}

LanguageVocabularies LanguageVocabularies::from_state(const TaskState& state) {
  LanguageVocabularies made;
  const auto dictionary = [&](const char* name) {
    return Dictionary::parse(state.text(name), state.place_of(name));
  };
  const StoredJson languages(state, "languages");
  for (const JsonEntry& language : languages.entry().items())
    made.languages.push_back(language.text());
  made.pairs = pairs_of(state);
  if (made.languages.size() < 2)
    throw FormatError(state.place_of("languages") + " has fewer than two entries");
  made.source = dictionary("source_dictionary");
  made.target =
      state.texts.contains("joined_dictionary") ? made.source : dictionary("target_dictionary");
  made.tokenizer = state.text("tokenizer");
  const StoredJson options(state, "tokenizer_options");
  options.entry().object();
  made.tokenizer_options = options.value();
  made.models = models_of(state);
  return made;
}

TaskState LanguageVocabularies::save(const LanguagePair& chosen) const {
  TaskState state;
  state.texts = {{"source_language", chosen.source},
                 {"target_language", chosen.target},
                 {"languages", nlohmann::json(languages).dump()},
                 {"lang_pairs", names_of(pairs).dump()},
                 {"source_dictionary", source.to_text()},
                 {"tokenizer", tokenizer},
                 {"tokenizer_options", tokenizer_options.dump()}};
  if (joined()) {
    state.texts["joined_dictionary"] = "yes";
  } else {
    state.texts["target_dictionary"] = target.to_text();
  }
  state.texts["models"] = add_models(state, models).dump();
  return state;
}

Vocabularies::Side LanguageVocabularies::side(const std::string& language, PairSide side) const {
  const auto model = models.find(language);
  return {language,
          side == PairSide::kTarget ? target : source,
          model == models.end() ? std::string() : model->second,
          "the model of " + language};
}

void LanguageVocabularies::require_dictionaries_of(const std::string& folder,
                                                   const LanguagePair& pair,
                                                   LanguageTokenStyle style) const {
  for (const PairSide side : {PairSide::kSource, PairSide::kTarget}) {
    const std::string file =
        dictionary_path(folder, side == PairSide::kTarget ? pair.target : pair.source);
    if (!std::filesystem::exists(file))
      continue;
    Dictionary found = Dictionary::load(file);
    add_language_tokens(found, languages, style);
    const Dictionary& expected = side == PairSide::kTarget ? target : source;
    if (!(found == expected)) {
      throw FormatError(fmt::format("{} is not the dictionary of the model: {}",
                                    file,
                                    dictionary_difference(found, expected)),
                        kRemedy);
    }
  }
}

}  // namespace phraseq
