#include "core/convert/fairseq/multilingual_import.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/convert/fairseq/fairseq_checkpoint.h"
#include "core/corpus/data_folder.h"
#include "core/text/languages/language_pairs.h"
#include "core/text/languages/language_tokens.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> option_texts(const json& options, const char* name) {
  std::vector<std::string> texts;
  for (const json& item : options.value(name, json::array())) {
    if (item.is_string())
      texts.push_back(item.get<std::string>());
  }
  return texts;
}

/// fairseq records "en-de,de-en", or the list of it.
std::vector<LanguagePair> pairs_of(const json& options) {
  const std::string text = recorded_text(options, "lang_pairs");
  return parse_language_pairs(
      text.empty() ? fmt::format("{}", fmt::join(option_texts(options, "lang_pairs"), ",")) : text);
}

/// Where the language tokens stand: (source, target) of the training's own data.
class TokenPlaces {
 public:
  explicit TokenPlaces(const json& options) {
    const json own = options.value("langtoks", json());
    if (own.is_object() && own.contains("main") && own["main"].is_array() &&
        own["main"].size() == 2) {
      source_ = own["main"][0];
      target_ = own["main"][1];
    } else {
      source_ = options.value("encoder_langtok", json());
      if (options.value("decoder_langtok", json()) == true)
        target_ = "tgt";
    }
  }

  std::string encoder() const { return source_.is_null() ? "none" : source_.get<std::string>(); }
  bool decoder() const { return !target_.is_null(); }
  bool are_known() const {
    return (source_.is_null() || source_ == "src" || source_ == "tgt") &&
           (target_.is_null() || target_ == "tgt");
  }

 private:
  json source_, target_;
};

void check_settings(const json& options, const TokenPlaces& places, const std::string& path) {
  std::vector<std::string> problems;
  if (!places.are_known())
    problems.push_back(fmt::format("langtoks {}", options.value("langtoks", json()).dump()));
  const json specs = options.value("langtoks_specs", json());
  const bool only_main = specs.is_null() || specs == "main" || specs == json::array({"main"});
  if (!only_main)
    problems.push_back(fmt::format("langtoks_specs {}", specs.dump()));
  if (options.value("enable_lang_ids", json()) == true)
    problems.emplace_back("enable_lang_ids true");
  if (!problems.empty()) {
    throw UsageError(fmt::format("{}: settings of the multilingual task without a counterpart: {}",
                                 path,
                                 fmt::join(problems, "; ")));
  }
}

/// A file of the training's machine, here: as it was named, or with its name in the data folder.
std::string find_file(const std::string& recorded, const std::string& folder) {
  const std::string here = folder + "/" + fs::path(recorded).filename().string();
  return fs::exists(here) ? here : recorded;
}

std::string find_dictionary(const json& options,
                            const char* override_name,
                            const std::string& folder,
                            const std::string& language) {
  for (const char* name : {"fixed_dictionary", override_name}) {
    if (const std::string recorded = recorded_text(options, name); !recorded.empty())
      return find_file(recorded, folder);
  }
  return dictionary_path(folder, language);
}

/// All languages of the training; those of the import are among them.
std::vector<std::string> languages_of(const json& options,
                                      const std::vector<LanguagePair>& pairs,
                                      const ForeignModel& files) {
  const std::string list = recorded_text(options, "lang_dict");
  std::vector<std::string> languages = known_languages(
      option_texts(options, "langs"), list.empty() ? "" : find_file(list, files.data), pairs);
  check_languages(languages, files.source_lang, files.target_lang);
  return languages;
}

bool is_mbart(const json& options) { return recorded_text(options, "lang_tok_style") == "mbart"; }

/// The dictionary of one side, followed by the tokens of the languages.
Dictionary read_dictionary(const json& options,
                           const char* override_name,
                           const std::string& folder,
                           const std::string& language,
                           const std::vector<std::string>& languages) {
  Dictionary read = Dictionary::load(find_dictionary(options, override_name, folder, language));
  add_language_tokens(
      read,
      languages,
      is_mbart(options) ? LanguageTokenStyle::kMbart : LanguageTokenStyle::kMultilingual);
  return read;
}

}  // namespace

void fill_multilingual(ImportedModel& model,
                       const ForeignModel& files,
                       const FairseqCheckpoint& checkpoint) {
  const json& options = checkpoint.task_options;
  const TokenPlaces places(options);
  check_settings(options, places, files.weights);
  const auto pairs = pairs_of(options);
  const auto languages = languages_of(options, pairs, files);
  const LanguagePair& first = pairs.front();
  const Dictionary source =
      read_dictionary(options, "source_dict", files.data, first.source, languages);
  const Dictionary target =
      read_dictionary(options, "target_dict", files.data, first.target, languages);
  model.options = options_from_fairseq(checkpoint.options, files.weights);
  model.set_vocabularies(first.source, source, first.target, target);
  model.add_parameters(checkpoint.weights, files.weights, source, target);
  model.set_sentencepiece_or_words(files.sentencepiece);
  model.set_languages(pairs, languages);
  const bool replaces = options.value("lang_tok_replacing_bos_eos", json()) == true;
  model.task_options = {{"source_lang", files.source_lang},
                        {"target_lang", files.target_lang},
                        {"encoder_langtok", places.encoder()},
                        {"decoder_langtok", places.decoder()},
                        {"lang_tok_style", is_mbart(options) ? "mbart" : "multilingual"},
                        {"lang_tok_replacing_bos_eos", replaces}};
}

}  // namespace phraseq
