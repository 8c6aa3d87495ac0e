#include "core/corpus/preprocessing/preprocess_run.h"

#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/manifest/dataset_record.h"
#include "core/corpus/preprocessing/annotations.h"
#include "core/corpus/preprocessing/subword_learning.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/finalized_dictionary.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "core/text/vocabulary_report.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Words that only pad a dictionary do not occur, and come last.
bool has_words(const Dictionary& dictionary) {
  const int64_t first = Dictionary().size();
  return dictionary.size() > first && dictionary.count(first) > 0;
}

void warn_of_lost_types(const DictionaryLimits& limits,
                        const Dictionary& counted,
                        const Dictionary& finished) {
  if (has_words(counted) && !has_words(finished)) {
    log_warning(
        fmt::format("{} leave no word in the dictionary: every word becomes <unk>. The {} special "
                    "symbols count",
                    limits.names(),
                    Dictionary().size()));
  }
}

/// Most text is lost if a dictionary is in other subwords or another format.
bool is_mostly_replaced(const SplitCounts& counts) { return 2 * counts.replaced > counts.tokens; }

/// With subwords that were learned from the training text, a text has hardly any unknown tokens,
/// unless the training text is so small that many of them do not occur in it.
bool lacks_subwords(const SplitCounts& counts) { return 20 * counts.replaced > counts.tokens; }

void warn_of_replaced(const std::string& file, const SplitCounts& counts, bool learns_subwords) {
  if (is_mostly_replaced(counts)) {
    log_warning(fmt::format(
        "{}: more than half of the tokens are not in the dictionary and become <unk>: is the text "
        "segmented like the text that the dictionary was made from?",
        file));
  } else if (learns_subwords && lacks_subwords(counts)) {
    log_warning(fmt::format(
        "{}: {:.0f}% of the tokens become <unk>: many of the learned subwords do not occur in the "
        "segmented training text, which is small. Use fewer --subwords",
        file,
        100.0 * static_cast<double>(counts.replaced) / static_cast<double>(counts.tokens)));
  }
}

json side_record(const std::string& file, const std::string& prefix, const SplitCounts& counts) {
  json record = dataset_record(file, prefix);
  record["tokens"] = counts.tokens;
  record["replaced"] = counts.replaced;
  return record;
}

void remove_dataset(const std::string& prefix) {
  std::filesystem::remove(prefix + ".bin");
  std::filesystem::remove(prefix + ".idx");
}

void warn_of_control_symbols(const SplitCounts& counts, const std::string& file) {
  if (counts.control > 0) {
    log_warning(
        fmt::format("{}: the text contains <s>, <pad> or </s> ({} in all), which become special "
                    "symbols, as in fairseq. Write them differently if they are words",
                    file,
                    counts.control));
  }
}

}  // namespace

std::string DictionaryLimits::names() const {
  return fmt::format("--threshold{0} and --nwords{0}", suffix);
}

PreprocessRun::PreprocessRun(const PreprocessOptions& options,
                             const ChosenTokenizer& tokenizer,
                             RunFiles files)
    : options_(options), chosen_(tokenizer), files_(std::move(files)) {
  sides_.push_back({0, options.source_lang, nullptr, nullptr, {}});
  if (!options.only_source)
    sides_.push_back({1, options.target_lang, nullptr, nullptr, {}});
}

RunSides PreprocessRun::all() {
  RunSides sides;
  for (RunSide& side : sides_) sides.push_back(&side);
  return sides;
}

std::string PreprocessRun::learned_model(const RunSides& of) const {
  return learn_subwords(files_, of, options_, chosen_.options.value("lowercase", false));
}

/// An empty model is that of a tokenizer that needs none, or makes its own.
void PreprocessRun::use_model(const RunSides& of,
                              const std::string& model,
                              const std::string& name) {
  for (RunSide* side : of) side->tokenizer = chosen_.make({model, name, side->language});
  if (!model.empty())
    return store_model(of, model);
  for (RunSide* side : of) {
    if (const std::string own = side->tokenizer->model(); !own.empty())
      store_model({side}, own);
  }
}

void PreprocessRun::store_model(const RunSides& of, const std::string& model) {
  const bool for_all = of.size() == sides_.size();
  const std::string language = for_all ? "" : of[0]->language + ".";
  const std::string file = fmt::format("{}.{}model", chosen_.name, language);
  for (const RunSide* side : of) models_[side->language] = file;
  write_file(files_.staged(file), model);
}

void PreprocessRun::prepare_tokenizers() {
  constexpr const char* kLearned = "the learned model";
  if (options_.subwords > 0 && options_.joined_dictionary) {
    use_model(all(), learned_model(all()), kLearned);
  } else if (options_.subwords > 0) {
    for (RunSide* side : all()) use_model({side}, learned_model({side}), kLearned);
  } else if (!options_.source_subword_model.empty()) {
    for (RunSide* side : all()) {
      const std::string& file =
          side->number == 0 ? options_.source_subword_model : options_.target_subword_model;
      use_model({side}, read_file(file), file);
    }
  } else {
    const std::string& file = options_.subword_model;
    use_model(all(), file.empty() ? "" : read_file(file), file);
  }
}

/// Says why --subwords and the number of types differ.
void PreprocessRun::log_type_count(const RunSides& of,
                                   int64_t threshold,
                                   const Dictionary& counted,
                                   const Dictionary& finished) const {
  const std::string file = files_.staged(models_.at(of[0]->language));
  const SentencePieceTokenizer model(read_file(file), file);
  const std::string text =
      explain_types({options_.subwords, model.pieces(), threshold}, counted, finished);
  if (!text.empty())
    log_info(fmt::format("[{}] {}", languages_text(of), text));
}

/// Counts the training text of `of`, and keeps it with provisional ids.
void PreprocessRun::build_dictionary(const RunSides& of, const DictionaryLimits& limits) {
  Dictionary counted;
  for (const RunSide* side : of) {
    write_provisional(files_.text(kTrain, *side),
                      *side->tokenizer,
                      counted,
                      options_.workers,
                      files_.provisional(*side));
  }
  const auto finished = std::make_shared<const Dictionary>(
      finalized(counted, limits.threshold, limits.max_symbols, options_.padding_factor));
  if (options_.subwords > 0)
    log_type_count(of, limits.threshold, counted, *finished);
  warn_of_lost_types(limits, counted, *finished);
  std::vector<int64_t> final_ids;
  for (int64_t id = 0; id < counted.size(); ++id)
    final_ids.push_back(finished->id(counted.symbol(id)));
  for (RunSide* side : of) {
    side->dictionary = finished;
    side->final_ids = final_ids;
  }
}

void PreprocessRun::make_dictionary(const RunSides& of,
                                    const std::string& given,
                                    const DictionaryLimits& limits) {
  if (given.empty())
    return build_dictionary(of, limits);
  if (limits.any()) {
    log_warning(
        fmt::format("{} have no effect on a given dictionary, {}: they limit one that is "
                    "counted from the training text",
                    limits.names(),
                    given));
  }
  const auto dictionary = std::make_shared<const Dictionary>(Dictionary::load(given));
  if (*dictionary == Dictionary()) {
    throw DataError(given + ": the dictionary has no symbols",
                    "Expected lines of a symbol and its count.");
  }
  for (RunSide* side : of) side->dictionary = dictionary;
}

void PreprocessRun::prepare_dictionaries() {
  const PreprocessOptions& o = options_;
  const DictionaryLimits source{o.thresholdsrc, o.nwordssrc, "src"};
  const DictionaryLimits target{o.thresholdtgt, o.nwordstgt, "tgt"};
  const bool has_target = !o.joined_dictionary && !o.only_source;
  if (target.any() && !has_target) {
    log_warning(fmt::format(
        "{} have no effect: there is no dictionary of the target language alone", target.names()));
  }
  if (o.joined_dictionary)
    make_dictionary(all(), o.srcdict.empty() ? o.tgtdict : o.srcdict, source);
  else
    make_dictionary({&sides_[0]}, o.srcdict, source);
  if (has_target)
    make_dictionary({&sides_[1]}, o.tgtdict, target);
  for (const RunSide& side : sides_) {
    side.dictionary->save(dictionary_path(files_.folder(), side.language));
    log_info(
        fmt::format("[{}] Dictionary: {} types", language_text(side), side.dictionary->size()));
  }
}

SplitCounts PreprocessRun::write_side(size_t split, const RunSide& side) const {
  const Dictionary& dictionary = *side.dictionary;
  if (split == kTrain && !side.final_ids.empty()) {
    return rewrite_split(
        files_.provisional(side), side.final_ids, dictionary.size(), files_.result(split, side));
  }
  return write_split(files_.text(split, side),
                     *side.tokenizer,
                     dictionary,
                     options_.workers,
                     files_.result(split, side));
}

void PreprocessRun::read_phrase_memory() {
  if (!options_.memory.any())
    return;
  const bool is_lower = chosen_.options.value("lowercase", false);
  memory_ = StoredMemory::read(options_.memory, is_lower || options_.pn_lowercase, !is_lower);
}

void PreprocessRun::write_splits() {
  for (const RunSide& side : sides_) {
    bool is_small = false;  // the dictionary, even for the text that it was made from (--nwordssrc)
    for (size_t split = 0; split < files_.splits().size() && !options_.dict_only; ++split) {
      const SplitCounts counts = write_side(split, side);
      const std::string& file = files_.splits()[split].files[side.number];
      log_info(fmt::format("[{}] {}: {}", language_text(side), file, to_string(counts)));
      warn_of_control_symbols(counts, file);
      const bool is_own_text = split == kTrain && !side.final_ids.empty();
      is_small = is_small || (is_own_text && is_mostly_replaced(counts));
      if (!is_small)
        warn_of_replaced(file, counts, options_.subwords > 0);
      json& record = split_records_[files_.splits()[split].name];
      record["sentences"] = counts.sentences;
      record["skipped"] = files_.report(split).skipped.size();
      record[side.language] = side_record(file, files_.result(split, side), counts);
    }
    remove_dataset(files_.provisional(side));
  }
  if (!options_.dict_only)
    annotate_splits();
}

void PreprocessRun::annotate_splits() {
  std::optional<PhraseMemory> memory;
  if (memory_)
    memory.emplace(memory_->open());
  for (size_t split = 0; split < files_.splits().size(); ++split) {
    write_annotations(files_,
                      sides_,
                      split,
                      memory ? &*memory : nullptr,
                      options_,
                      split_records_[files_.splits()[split].name][sides_[0].language]);
  }
}

void PreprocessRun::write_manifest(const json& recorded_options) const {
  json dictionaries = json::object();
  for (const RunSide& side : sides_) {
    dictionaries[side.language] = {{"symbols", side.dictionary->size()},
                                   {"crc32c", crc32c_text(side.dictionary->fingerprint())}};
  }
  json manifest = {
      {"version", kDataManifestVersion},
      {"complete", true},
      {"phraseq", PHRASEQ_VERSION},
      {"source_language", options_.source_lang},
      {"target_language", files_.target_language()},
      {"tokenizer", {{"name", chosen_.name}, {"options", chosen_.options}, {"models", models_}}},
      {"dictionaries", dictionaries},
      {"splits", split_records_},
      {"options", recorded_options}};
  if (const Shard& shard = files_.shard(); !shard.is_all())
    manifest["shard"] = {{"index", shard.index}, {"count", shard.count}};
  if (memory_)
    manifest["phrase_memory"] = memory_->save(files_.folder());
  write_file(files_.staged(kDataManifest), manifest.dump(2) + "\n");
}

}  // namespace phraseq
