#include "tasks/translation_multi_simple_epoch/multilingual_task.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/joined/joined_corpus.h"
#include "core/data/text/task_data.h"
#include "tasks/translation_multi_simple_epoch/sampling_weights.h"

namespace phraseq {
namespace {

void require_language(const std::vector<std::string>& languages, const std::string& name) {
  if (std::find(languages.begin(), languages.end(), name) != languages.end())
    return;
  throw UsageError(fmt::format("'{}' is not a language of the model", name),
                   fmt::format("Its languages are {}.", fmt::join(languages, ", ")));
}

/// Warns of a source language with several target languages if no token determines which one is
/// meant.
void warn_of_unnamed_target(const std::vector<LanguagePair>& pairs,
                            const MultilingualOptions& options) {
  if (options.decoder_langtok || options.encoder_langtok == EncoderToken::kTarget)
    return;
  std::map<std::string, std::string> targets;
  for (const LanguagePair& pair : pairs) {
    const std::string& first = targets.try_emplace(pair.source, pair.target).first->second;
    if (first == pair.target)
      continue;
    log_warning(fmt::format(
        "no language token tells the model whether to translate {} to {} or to {}: give "
        "--decoder-langtok or --encoder-langtok tgt",
        pair.source,
        first,
        pair.target));
    return;
  }
}

}  // namespace

MultilingualTask::MultilingualTask(const MultilingualOptions& options, const TaskSetup& setup)
    : options_(options),
      setup_(setup),
      folders_(task_folders(setup, "translation_multi_simple_epoch"), options.data_loader),
      vocabularies_(setup.state != nullptr ? LanguageVocabularies::from_state(*setup.state)
                                           : LanguageVocabularies::from_folders(folders_, options)),
      text_(vocabularies_, options_, setup_) {
  choose_direction(setup);
  if (!setup.data.empty())
    open_pairs();
  setup_.state = nullptr;
  setup_.training_options = nullptr;
}

void MultilingualTask::choose_direction(const TaskSetup& setup) {
  is_requested_ = !setup.source_language.empty();
  is_chosen_ = true;
  if (is_requested_) {
    direction_ = {setup.source_language, setup.target_language};
  } else if (!options_.source_lang.empty()) {
    direction_ = {options_.source_lang, options_.target_lang};
  } else if (!vocabularies_.pairs.empty()) {
    direction_ = vocabularies_.pairs.front();
    is_chosen_ = vocabularies_.pairs.size() == 1;
  } else {  // an imported model, between all of its languages
    direction_ = {vocabularies_.languages.at(0), vocabularies_.languages.at(1)};
    is_chosen_ = false;
  }
  require_language(vocabularies_.languages, direction_.source);
  require_language(vocabularies_.languages, direction_.target);
}

std::string MultilingualTask::directions() const {
  return vocabularies_.pairs.empty()
             ? fmt::format("between {}", fmt::join(vocabularies_.languages, ", "))
             : to_string(vocabularies_.pairs);
}

MultilingualTask::PairPart MultilingualTask::open_pair(const LanguagePair& pair) const {
  const std::vector<std::string> folders = folders_.places_of(pair);
  TaskSetup of_pair = setup_;
  of_pair.data = folders.front();
  const std::string loader = loader_for(of_pair, options_.data_loader, options_.bpe_dropout > 0);
  for (const std::string& folder : folders) {
    if (loader == "indexed")
      vocabularies_.require_dictionaries_of(folder, pair, options_.lang_tok_style);
  }
  return {pair, {setup_, loader, folders, loading(pair), options_.upsample_primary}};
}

void MultilingualTask::open_pairs() {
  if (folders_.are_several() && options_.virtual_epoch_size > 0 &&
      options_.virtual_data_size == 0) {
    throw UsageError(
        "--virtual-epoch-size with several data folders needs --virtual-data-size",
        "Set how many sentence pairs are drawn from a folder before the next one is used.");
  }
  if (is_requested_) {
    folders_.require_in_first(direction_,
                              "Preprocess the pair into this folder, or choose another direction.");
    parts_.push_back(open_pair(direction_));
    return;
  }
  folders_.require_use_of_all(vocabularies_.pairs);
  for (const LanguagePair& pair : vocabularies_.pairs) parts_.push_back(open_pair(pair));
}

DataLoaderSetup MultilingualTask::loading(const LanguagePair& pair) const {
  DataLoaderSetup loading;
  loading.source_language = pair.source;
  loading.target_language = pair.target;
  loading.encode_source = [this, pair](const std::string& line, std::optional<uint64_t> seed) {
    return text_.encode(pair.source, PairSide::kSource, line, seed);
  };
  loading.encode_target = [this, pair](const std::string& line, std::optional<uint64_t> seed) {
    return text_.encode(pair.target, PairSide::kTarget, line, seed);
  };
  loading.encode_tree = [this, pair](const std::string& line,
                                     const std::string& tree,
                                     const TextPlace& place,
                                     std::optional<uint64_t> seed) {
    return text_.encode_tree(pair.source, line, tree, place, seed);
  };
  loading.source_vocabulary = source_dictionary().size();
  loading.target_vocabulary = target_dictionary().size();
  loading.sample = options_.bpe_dropout > 0 && setup_.state == nullptr;
  loading.seed = setup_.seed;
  return loading;
}

nlohmann::json MultilingualTask::options_from_data() const {
  nlohmann::json options = nlohmann::json::object();
  if (options_.tokenizer == "auto")
    options["tokenizer"] = vocabularies_.tokenizer;
  if (options_.data_loader == "auto" && !parts_.empty())
    options["data_loader"] = parts_.front().data.loader();
  return options;
}

ArchitectureSetup MultilingualTask::architecture_setup() const {
  return {source_dictionary().size(), target_dictionary().size(), vocabularies_.joined(), {}};
}

std::vector<std::string> MultilingualTask::target_languages() const {
  std::vector<std::string> languages;
  for (const LanguagePair& pair : vocabularies_.pairs) languages.push_back(pair.target);
  return languages;
}

bool MultilingualTask::has_split(const std::string& split) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const PairPart& part) {
    return part.data.has_split(split);
  });
}

std::unique_ptr<Corpus> MultilingualTask::open_part(const PairPart& part,
                                                    const std::string& split,
                                                    bool training,
                                                    const SequenceConventions& conventions) const {
  const std::string dictionaries = fmt::format(", dictionaries {:08x} {:08x}",
                                               source_dictionary().fingerprint(),
                                               target_dictionary().fingerprint());
  return std::make_unique<TaggedCorpus>(
      part.data.open(split, training, {conventions, dictionaries}), text_.tags_of(part.pair));
}

PairSampling MultilingualTask::sampling() const {
  PairSampling settings;
  settings.virtual_size = options_.virtual_data_size;
  settings.virtual_epoch_size = options_.virtual_epoch_size;
  settings.seed = setup_.seed;
  settings.weights = sampling_weights(options_, vocabularies_.pairs);
  return settings;
}

std::unique_ptr<Corpus> MultilingualTask::open_training(
    const std::string& split, const SequenceConventions& conventions) const {
  warn_of_unnamed_target(vocabularies_.pairs, options_);
  std::vector<SampledPart> parts;
  for (const PairPart& part : parts_)
    parts.push_back({part.pair.name(), open_part(part, split, /*training=*/true, conventions)});
  return std::make_unique<SampledCorpus>(std::move(parts), sampling());
}

std::unique_ptr<Corpus> MultilingualTask::open_others(
    const std::string& split, const SequenceConventions& conventions) const {
  std::vector<std::unique_ptr<Corpus>> parts;
  std::vector<std::string> names, missing;
  for (const PairPart& part : parts_) {
    if (!part.data.has_split(split)) {
      missing.push_back(part.pair.name());
      continue;
    }
    names.push_back(part.pair.name());
    parts.push_back(open_part(part, split, /*training=*/false, conventions));
  }
  if (parts.empty())
    throw DataError(fmt::format("{}: no language pair has a split '{}'", setup_.data, split));
  if (!missing.empty())
    log_warning(
        fmt::format("{}: no split '{}' of {}", setup_.data, split, fmt::join(missing, ", ")));
  if (parts.size() == 1)
    return std::move(parts.front());
  return std::make_unique<JoinedCorpus>(std::move(parts), std::move(names));
}

std::unique_ptr<Corpus> MultilingualTask::open(const std::string& split,
                                               bool training,
                                               const SequenceConventions& conventions) const {
  require_data_folder(!parts_.empty(), split);
  return training ? open_training(split, conventions) : open_others(split, conventions);
}

Example MultilingualTask::encode(const std::string& source,
                                 const std::optional<std::string>& target) const {
  Example example;
  example.source = text_.encode(direction_.source, PairSide::kSource, source, std::nullopt);
  if (target)
    example.target = text_.encode(direction_.target, PairSide::kTarget, *target, std::nullopt);
  text_.tags_of(direction_).apply(example);
  return example;
}

std::vector<int64_t> MultilingualTask::encode_tree(const std::string& source,
                                                   const std::string& tree,
                                                   const TextPlace& place) const {
  return text_.tags_of(direction_)
      .tree(text_.encode_tree(direction_.source, source, tree, place, std::nullopt));
}

/// Whether all data are in the chosen direction.
bool MultilingualTask::reads_one_direction() const {
  return is_chosen_ && std::all_of(parts_.begin(), parts_.end(), [this](const PairPart& part) {
           return part.pair == direction_;
         });
}

std::vector<int64_t> MultilingualTask::without_tokens(std::span<const int64_t> ids,
                                                      PairSide side) const {
  const DirectionTags tags = text_.tags_of(direction_);
  const int64_t own = side == PairSide::kTarget ? tags.target : tags.source;
  const bool only_own = reads_one_direction();
  std::vector<int64_t> words;
  for (const int64_t id : ids) {
    if (only_own ? id != own : !text_.is_token(id, side))
      words.push_back(id);
  }
  return words;
}

std::string MultilingualTask::symbols(std::span<const int64_t> ids, PairSide side) const {
  const Dictionary& dictionary =
      side == PairSide::kTarget ? target_dictionary() : source_dictionary();
  const bool strips = side == PairSide::kTarget && options_.decoder_langtok;
  return dictionary.decode(strips ? without_tokens(ids, side)
                                  : std::vector<int64_t>(ids.begin(), ids.end()));
}

/// The target language of a text, which its language token determines if there are several pairs.
const std::string& MultilingualTask::target_language_of(std::span<const int64_t> ids) const {
  if (ids.empty() || !text_.is_token(ids.front(), PairSide::kTarget) || reads_one_direction())
    return direction_.target;
  return text_.language_of_token(ids.front());
}

std::string MultilingualTask::text(std::span<const int64_t> ids, PairSide side) const {
  std::vector<int64_t> words(ids.begin(), ids.end());
  if (side == PairSide::kTarget ? options_.decoder_langtok
                                : options_.encoder_langtok != EncoderToken::kNone)
    words = without_tokens(ids, side);
  return text_.decode(
      side == PairSide::kTarget ? target_language_of(ids) : direction_.source, side, words);
}

}  // namespace phraseq
