#include "tasks/translation_multi_simple_epoch/multilingual_task.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/data/collate.h"
#include "core/data/joined/data_folders.h"
#include "core/data/joined/joined_corpus.h"
#include "core/data/text/loader_corpus.h"
#include "core/data/text/task_tokenizer.h"
#include "tasks/translation_multi_simple_epoch/sampling_weights.h"

namespace phraseq {
namespace {

std::vector<int64_t> token_ids(const Dictionary& dictionary,
                               const std::vector<std::string>& languages,
                               LanguageTokenStyle style) {
  std::vector<int64_t> ids;
  for (const std::string& language : languages)
    ids.push_back(dictionary.id(language_token(language, style)));
  std::sort(ids.begin(), ids.end());
  return ids;
}

void require_language(const std::vector<std::string>& languages, const std::string& name) {
  if (std::find(languages.begin(), languages.end(), name) != languages.end())
    return;
  throw UsageError(fmt::format("'{}' is not a language of the model", name),
                   fmt::format("Its languages are {}.", fmt::join(languages, ", ")));
}

/// Of a source language with several target languages, where no token tells which one is meant.
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

/// Concerns a folder that an epoch uses, but not the first.
bool has_pair(const std::string& folder, const LanguagePair& pair) {
  try {
    DataFolder::open(folder, pair.source, pair.target);
    return true;
  } catch (const UsageError&) {
    return false;  // it holds others
  }
}

}  // namespace

MultilingualTask::MultilingualTask(const MultilingualOptions& options, const TaskSetup& setup)
    : options_(options), setup_(setup) {
  if (!setup.phrase_table.empty())
    throw UsageError("--phrase-table: the task of the model has no phrase memory");
  if (setup.state == nullptr && setup.data.empty()) {
    throw UsageError(
        "task translation_multi_simple_epoch: neither a data folder nor a checkpoint was given");
  }
  folders_ = data_folders(setup.data);
  if (setup.state != nullptr)
    folders_.resize(1);  // the others are for training
  vocabularies_ = setup.state != nullptr
                      ? LanguageVocabularies::from_state(*setup.state)
                      : LanguageVocabularies::from_folder(folders_.front(), options);
  source_tokens_ = token_ids(vocabularies_.source, vocabularies_.languages, options.lang_tok_style);
  target_tokens_ = token_ids(vocabularies_.target, vocabularies_.languages, options.lang_tok_style);
  choose_direction(setup);
  if (!setup.data.empty())
    open_pairs();
  setup_.state = nullptr;
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
  } else {  // a model from elsewhere, between all of its languages
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

/// The folders of A:B:C that have the pair.
std::vector<std::string> MultilingualTask::folders_of(const LanguagePair& pair) const {
  std::vector<std::string> folders;
  for (const std::string& folder : folders_) {
    const std::string place = pair_folder(folder, pair);
    if (folders.empty() || has_pair(place, pair))
      folders.push_back(place);
  }
  return folders;
}

MultilingualTask::PairPart MultilingualTask::open_pair(const LanguagePair& pair) const {
  const std::vector<std::string> folders = folders_of(pair);
  TaskSetup of_pair = setup_;
  of_pair.data = folders.front();
  const std::string loader = loader_for(of_pair, options_.data_loader, options_.bpe_dropout > 0);
  for (const std::string& folder : folders) {
    if (loader == "indexed")
      vocabularies_.require_dictionaries_of(folder, pair, options_.lang_tok_style);
  }
  return {pair, {*setup_.registry, loader, folders, loading(pair), options_.upsample_primary}};
}

void MultilingualTask::open_pairs() {
  if (folders_.size() > 1 && options_.virtual_epoch_size > 0 && options_.virtual_data_size == 0) {
    throw UsageError(
        "--virtual-epoch-size with several data folders needs --virtual-data-size",
        "Set how many sentence pairs are drawn from a folder before the next one is used.");
  }
  if (is_requested_) {
    parts_.push_back(open_pair(direction_));
    return;
  }
  for (const LanguagePair& pair : vocabularies_.pairs) parts_.push_back(open_pair(pair));
}

DataLoaderSetup MultilingualTask::loading(const LanguagePair& pair) const {
  DataLoaderSetup loading;
  loading.source_language = pair.source;
  loading.target_language = pair.target;
  loading.encode_source = [this, pair](const std::string& line, std::optional<uint64_t> seed) {
    return encode_side(pair.source, /*is_target=*/false, line, seed);
  };
  loading.encode_target = [this, pair](const std::string& line, std::optional<uint64_t> seed) {
    return encode_side(pair.target, /*is_target=*/true, line, seed);
  };
  loading.encode_tree = [this, pair](const std::string& line,
                                     const std::string& tree,
                                     const TextPlace& place,
                                     std::optional<uint64_t> seed) {
    return side(pair.source, /*is_target=*/false).encode_tree(line, tree, place, seed);
  };
  loading.source_vocabulary = source_dictionary().size();
  loading.target_vocabulary = target_dictionary().size();
  loading.sample = options_.bpe_dropout > 0 && setup_.state == nullptr;
  loading.seed = setup_.seed;
  return loading;
}

const LanguageSide& MultilingualTask::side(const std::string& language, bool is_target) const {
  const std::lock_guard lock(making_);
  auto& made = sides_[{language, is_target}];
  if (!made) {
    Vocabularies common;
    common.tokenizer = vocabularies_.tokenizer;
    common.tokenizer_options = vocabularies_.tokenizer_options;
    const Vocabularies::Side of = vocabularies_.side(language, is_target);
    made = std::make_unique<LanguageSide>(
        of,
        task_tokenizer(
            setup_, common, of, {options_.tokenizer_files().name, options_.bpe_dropout}));
  }
  return *made;
}

/// Text that spells a language token is an unknown word.
std::vector<int64_t> MultilingualTask::encode_side(const std::string& language,
                                                   bool is_target,
                                                   const std::string& line,
                                                   std::optional<uint64_t> sample_seed) const {
  std::vector<int64_t> ids = side(language, is_target).encode(line, sample_seed);
  for (int64_t& id : ids) id = is_token(id, is_target) ? kUnk : id;
  return ids;
}

bool MultilingualTask::is_token(int64_t id, bool is_target) const {
  const auto& tokens = is_target ? target_tokens_ : source_tokens_;
  return std::binary_search(tokens.begin(), tokens.end(), id);
}

int64_t MultilingualTask::token_of(const std::string& language, bool is_target) const {
  const Dictionary& dictionary = is_target ? target_dictionary() : source_dictionary();
  return dictionary.id(language_token(language, options_.lang_tok_style));
}

DirectionTags MultilingualTask::tags_of(const LanguagePair& pair) const {
  DirectionTags tags;
  tags.replace = options_.lang_tok_replacing_bos_eos;
  if (options_.encoder_langtok != EncoderToken::kNone) {
    const bool of_source = options_.encoder_langtok == EncoderToken::kSource;
    tags.source = token_of(of_source ? pair.source : pair.target, /*is_target=*/false);
  }
  if (options_.decoder_langtok)
    tags.target = token_of(pair.target, /*is_target=*/true);
  return tags;
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
      part.data.open(split, training, {conventions, dictionaries}), tags_of(part.pair));
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
  if (parts_.empty())
    throw UsageError(
        fmt::format("the split '{}' was requested, but no data folder was given", split));
  return training ? open_training(split, conventions) : open_others(split, conventions);
}

Batch MultilingualTask::collate(const std::vector<Example>& examples,
                                const SequenceConventions& conventions) const {
  return collate_pairs(examples, conventions);
}

Example MultilingualTask::encode(const std::string& source,
                                 const std::optional<std::string>& target) const {
  Example example;
  example.source = encode_side(direction_.source, /*is_target=*/false, source, std::nullopt);
  if (target)
    example.target = encode_side(direction_.target, /*is_target=*/true, *target, std::nullopt);
  tags_of(direction_).apply(example);
  return example;
}

std::vector<int64_t> MultilingualTask::encode_tree(const std::string& source,
                                                   const std::string& tree,
                                                   const TextPlace& place) const {
  const LanguageSide& of = side(direction_.source, /*is_target=*/false);
  return tags_of(direction_).tree(of.encode_tree(source, tree, place, std::nullopt));
}

/// Whether everything that is read is in the chosen direction.
bool MultilingualTask::reads_one_direction() const {
  return is_chosen_ && std::all_of(parts_.begin(), parts_.end(), [this](const PairPart& part) {
           return part.pair == direction_;
         });
}

std::vector<int64_t> MultilingualTask::without_tokens(std::span<const int64_t> ids,
                                                      bool target_side) const {
  const DirectionTags tags = tags_of(direction_);
  const int64_t own = target_side ? tags.target : tags.source;
  const bool only_own = reads_one_direction();
  std::vector<int64_t> words;
  for (const int64_t id : ids) {
    if (only_own ? id != own : !is_token(id, target_side))
      words.push_back(id);
  }
  return words;
}

std::string MultilingualTask::symbols(std::span<const int64_t> ids, bool target_side) const {
  const Dictionary& dictionary = target_side ? target_dictionary() : source_dictionary();
  const bool strips = target_side && options_.decoder_langtok;
  return dictionary.decode(strips ? without_tokens(ids, target_side)
                                  : std::vector<int64_t>(ids.begin(), ids.end()));
}

/// The target language of a text of one of several pairs, which its token tells.
const std::string& MultilingualTask::target_language_of(std::span<const int64_t> ids) const {
  if (ids.empty() || !is_token(ids.front(), /*is_target=*/true) || reads_one_direction())
    return direction_.target;
  const auto named = [&](const std::string& language) {
    return token_of(language, /*is_target=*/true) == ids.front();
  };
  return *std::find_if(vocabularies_.languages.begin(), vocabularies_.languages.end(), named);
}

std::string MultilingualTask::text(std::span<const int64_t> ids, bool target_side) const {
  std::vector<int64_t> words(ids.begin(), ids.end());
  if (target_side ? options_.decoder_langtok : options_.encoder_langtok != EncoderToken::kNone)
    words = without_tokens(ids, target_side);
  return side(target_side ? target_language_of(ids) : direction_.source, target_side).text(words);
}

}  // namespace phraseq
