#include "core/corpus/preprocess.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/alignments/alignment_writer.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/phrase_writer.h"
#include "core/corpus/preprocess_inputs.h"
#include "core/corpus/shards/shard_files.h"
#include "core/corpus/split_writer.h"
#include "core/corpus/stored_phrases.h"
#include "core/corpus/trees/tree_writer.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/mapped_file.h"
#include "core/io/staging_folder.h"
#include "core/options/enum_name.h"
#include "core/phrase_memory/stored_memory.h"
#include "core/text/dictionary.h"
#include "core/text/finalized_dictionary.h"
#include "core/text/sentencepiece_tokenizer.h"
#include "core/text/sentencepiece_training.h"
#include "core/text/unicode.h"
#include "core/text/vocabulary_report.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kTrain = 0;

/// One language of the run.
struct Side {
  size_t number = 0;  ///< 0 = source, 1 = target: its place among a split's files
  std::string language;
  std::unique_ptr<Tokenizer> tokenizer;
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<int64_t> final_ids;  ///< of the provisional ids; empty when the dictionary was given
};
using Sides = std::vector<Side*>;

/// "en" or "en, de".
std::string languages_text(const Sides& sides) {
  const std::string& first = sides[0]->language;
  return sides.size() > 1 ? first + ", " + sides[1]->language : first;
}

/// Which file a dataset was made from, and the sums of what was made.
json dataset_record(const std::string& input, const std::string& prefix) {
  const IndexedDataset written = IndexedDataset::open(prefix);
  return {{"input", input},
          {"input_bytes", fs::file_size(input)},
          {"input_crc32c", crc32c_text(file_crc32c(input))},
          {"index_crc32c", crc32c_text(written.fingerprint())},
          {"ids_crc32c", crc32c_text(written.ids_fingerprint())}};
}

/// Chooses at most `limit` of `total` things, evenly spread; 0 = all.
class EvenSample {
 public:
  EvenSample(int64_t total, int64_t limit) : total_(total), limit_(limit) {}

  bool is_all() const { return limit_ == 0 || total_ <= limit_; }
  /// Whether the next one is chosen.
  bool next() {
    if (is_all())
      return true;
    left_over_ += limit_;
    if (left_over_ < total_)
      return false;
    left_over_ -= total_;
    return true;
  }

 private:
  int64_t total_;
  int64_t limit_;
  int64_t left_over_ = 0;
};

/// One run of `preprocess`, step by step.
class Run {
 public:
  Run(const PreprocessOptions& options,
      const ChosenTokenizer& tokenizer,
      std::vector<SplitText> splits,
      std::vector<SplitReport> reports,
      const Shard& shard,
      std::string folder);

  void prepare_tokenizers();
  void prepare_dictionaries();
  void read_phrase_memory();
  void write_splits();
  void write_manifest(const json& recorded_options) const;

 private:
  Sides all();
  std::string staged(const std::string& name) const { return folder_ + "/" + name; }
  std::string target_language() const;
  std::string provisional(const Side& side) const { return staged("provisional." + side.language); }
  std::string result(size_t split, const Side& side) const;
  CheckedText text(size_t split, const Side& side) const;

  std::string learn_subwords(const Sides& of) const;
  void use_model(const Sides& of, const std::string& model, const std::string& name);
  void store_model(const Sides& of, const std::string& model);
  void make_dictionary(const Sides& of,
                       const std::string& given,
                       int64_t threshold,
                       int64_t max_symbols);
  void build_dictionary(const Sides& of, int64_t threshold, int64_t max_symbols);
  void log_type_count(const Sides& of,
                      int64_t threshold,
                      const Dictionary& counted,
                      const Dictionary& finished) const;
  SplitCounts write_side(size_t split, const Side& side) const;
  json write_source_trees(size_t split) const;
  json write_source_phrases(size_t split, const PhraseMemory& memory) const;
  json write_split_alignments(size_t split) const;
  void write_beside_source();

  const PreprocessOptions& options_;
  const ChosenTokenizer& chosen_;
  std::vector<SplitText> splits_;
  std::vector<SplitReport> reports_;
  Shard shard_;  ///< of the training text
  std::string folder_;
  std::vector<Side> sides_;
  std::optional<StoredMemory> memory_;
  json models_ = json::object();
  json split_records_ = json::object();
};

Run::Run(const PreprocessOptions& options,
         const ChosenTokenizer& tokenizer,
         std::vector<SplitText> splits,
         std::vector<SplitReport> reports,
         const Shard& shard,
         std::string folder)
    : options_(options),
      chosen_(tokenizer),
      splits_(std::move(splits)),
      reports_(std::move(reports)),
      shard_(shard),
      folder_(std::move(folder)) {
  sides_.push_back({0, options.source_lang, nullptr, nullptr, {}});
  if (!options.only_source)
    sides_.push_back({1, options.target_lang, nullptr, nullptr, {}});
}

Sides Run::all() {
  Sides sides;
  for (Side& side : sides_) sides.push_back(&side);
  return sides;
}

std::string Run::target_language() const {
  return options_.target_lang.empty() ? kNoTargetLanguage : options_.target_lang;
}

std::string Run::result(size_t split, const Side& side) const {
  return indexed_prefix(
      folder_, splits_[split].name, options_.source_lang, target_language(), side.language);
}

CheckedText Run::text(size_t split, const Side& side) const {
  const SplitReport& report = reports_[split];
  const Shard part = splits_[split].name == kTrainingSplit ? shard_ : Shard{};
  return {
      splits_[split].files[side.number], options_.reading(), report.lines, report.skipped, part};
}

/// The lines of several texts, one after the other.
std::function<bool(std::string&)> lines_of_all(const std::vector<CheckedText>& texts) {
  return [&texts, current = size_t{0}, next = kept_lines(texts[0])](std::string& line) mutable {
    while (!next(line)) {
      if (++current == texts.size())
        return false;
      next = kept_lines(texts[current]);
    }
    return true;
  };
}

std::string Run::learn_subwords(const Sides& of) const {
  std::vector<CheckedText> texts;
  for (const Side* side : of) texts.push_back(text(kTrain, *side));
  const bool lowercase = chosen_.options.value("lowercase", false);
  const int64_t total = reports_[kTrain].kept() * static_cast<int64_t>(texts.size());
  EvenSample sample(total, options_.subword_sentences);
  const auto next = [&, next_line = lines_of_all(texts)](std::string& line) {
    do {
      if (!next_line(line))
        return false;
    } while (!sample.next());
    if (lowercase)
      line = to_lowercase(line);
    return true;
  };
  log_info(fmt::format(
      "[{}] learning {} {} pieces{}",
      languages_text(of),
      options_.subwords,
      enum_name(kSentencePieceTypeNames, options_.subword_type),
      sample.is_all()
          ? ""
          : fmt::format(" from {} of {} sentences", options_.subword_sentences, total)));
  return train_sentencepiece(
      next, {options_.subword_type, options_.subwords, options_.character_coverage});
}

/// An empty model is that of a tokenizer that needs none, or makes its own.
void Run::use_model(const Sides& of, const std::string& model, const std::string& name) {
  for (Side* side : of) side->tokenizer = chosen_.make({model, name, side->language});
  if (!model.empty())
    return store_model(of, model);
  for (Side* side : of) {
    if (const std::string own = side->tokenizer->model(); !own.empty())
      store_model({side}, own);
  }
}

void Run::store_model(const Sides& of, const std::string& model) {
  const bool for_all = of.size() == sides_.size();
  const std::string language = for_all ? "" : of[0]->language + ".";
  const std::string file = fmt::format("{}.{}model", chosen_.name, language);
  for (const Side* side : of) models_[side->language] = file;
  write_file(staged(file), model);
}

void Run::prepare_tokenizers() {
  constexpr const char* kLearned = "the learned model";
  if (options_.subwords > 0 && options_.joined_dictionary) {
    use_model(all(), learn_subwords(all()), kLearned);
  } else if (options_.subwords > 0) {
    for (Side* side : all()) use_model({side}, learn_subwords({side}), kLearned);
  } else if (!options_.source_subword_model.empty()) {
    for (Side* side : all()) {
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
void Run::log_type_count(const Sides& of,
                         int64_t threshold,
                         const Dictionary& counted,
                         const Dictionary& finished) const {
  const std::string file = staged(models_.at(of[0]->language));
  const SentencePieceTokenizer model(read_file(file), file);
  const std::string text =
      explain_types({options_.subwords, model.pieces(), threshold}, counted, finished);
  if (!text.empty())
    log_info(fmt::format("[{}] {}", languages_text(of), text));
}

/// Counts the training text of `of`, and keeps it with provisional ids.
void Run::build_dictionary(const Sides& of, int64_t threshold, int64_t max_symbols) {
  Dictionary counted;
  for (const Side* side : of) {
    write_provisional(
        text(kTrain, *side), *side->tokenizer, counted, options_.workers, provisional(*side));
  }
  const auto finished = std::make_shared<const Dictionary>(
      finalized(counted, threshold, max_symbols, options_.padding_factor));
  if (options_.subwords > 0)
    log_type_count(of, threshold, counted, *finished);
  std::vector<int64_t> final_ids;
  for (int64_t id = 0; id < counted.size(); ++id)
    final_ids.push_back(finished->id(counted.symbol(id)));
  for (Side* side : of) {
    side->dictionary = finished;
    side->final_ids = final_ids;
  }
}

void Run::make_dictionary(const Sides& of,
                          const std::string& given,
                          int64_t threshold,
                          int64_t max_symbols) {
  if (given.empty())
    return build_dictionary(of, threshold, max_symbols);
  const auto dictionary = std::make_shared<const Dictionary>(Dictionary::load(given));
  for (Side* side : of) side->dictionary = dictionary;
}

void Run::prepare_dictionaries() {
  const PreprocessOptions& o = options_;
  if (o.joined_dictionary) {
    const std::string& given = o.srcdict.empty() ? o.tgtdict : o.srcdict;
    make_dictionary(all(), given, o.thresholdsrc, o.nwordssrc);
  } else {
    make_dictionary({&sides_[0]}, o.srcdict, o.thresholdsrc, o.nwordssrc);
    if (!o.only_source)
      make_dictionary({&sides_[1]}, o.tgtdict, o.thresholdtgt, o.nwordstgt);
  }
  for (const Side& side : sides_) {
    side.dictionary->save(dictionary_path(folder_, side.language));
    log_info(fmt::format("[{}] Dictionary: {} types", side.language, side.dictionary->size()));
  }
}

SplitCounts Run::write_side(size_t split, const Side& side) const {
  const Dictionary& dictionary = *side.dictionary;
  if (split == kTrain && !side.final_ids.empty()) {
    return rewrite_split(provisional(side), side.final_ids, dictionary.size(), result(split, side));
  }
  return write_split(
      text(split, side), *side.tokenizer, dictionary, options_.workers, result(split, side));
}

json Run::write_source_trees(size_t split) const {
  const Side& side = sides_[0];
  const CheckedText sentences = text(split, side);
  CheckedText trees = sentences;
  trees.file = splits_[split].trees;
  const std::string prefix = trees_prefix(result(split, side));
  const TreeCounts counts = write_trees(
      sentences, trees, *side.tokenizer, options_.on_bad_tree, options_.workers, prefix);
  log_info(fmt::format("[{}] {}: {}", side.language, trees.file, to_string(counts)));
  json record = dataset_record(trees.file, prefix);
  record["unparsed"] = counts.unparsed.count;
  record["refused"] = counts.rejected.count;
  return record;
}

void Run::read_phrase_memory() {
  if (!options_.memory.any())
    return;
  const bool is_lower = chosen_.options.value("lowercase", false);
  memory_ = StoredMemory::read(options_.memory, is_lower || options_.pn_lowercase, !is_lower);
}

json Run::write_source_phrases(size_t split, const PhraseMemory& memory) const {
  const Side& side = sides_[0];
  std::optional<CheckedText> target;
  if (sides_.size() > 1)
    target = text(split, sides_[1]);
  const std::string prefix = phrases_prefix(result(split, side));
  const PhraseCounts counts =
      write_phrases(text(split, side), target, memory, options_.workers, prefix);
  log_info(
      fmt::format("[{}] phrases of {}: {}", side.language, splits_[split].name, to_string(counts)));
  json record = stored_phrases_record(prefix);
  record["slots"] = counts.slots;
  record["spans"] = counts.spans;
  return record;
}

/// Needs the text of both languages, written: links count its symbols.
json Run::write_split_alignments(size_t split) const {
  CheckedText lines = text(split, sides_[0]);
  lines.file = splits_[split].alignments;
  const std::string prefix =
      alignments_prefix(folder_, splits_[split].name, options_.source_lang, options_.target_lang);
  const AlignmentCounts counts = write_alignments(lines,
                                                  IndexedDataset::open(result(split, sides_[0])),
                                                  IndexedDataset::open(result(split, sides_[1])),
                                                  options_.on_bad_alignment,
                                                  prefix);
  log_info(fmt::format("[alignments] {}: {}", lines.file, to_string(counts)));
  json record = dataset_record(lines.file, prefix);
  record["links"] = counts.links;
  record["refused"] = counts.rejected.count;
  return record;
}

/// Trees, phrases and alignments, stored next to the source text.
void Run::write_beside_source() {
  std::optional<PhraseMemory> memory;
  if (memory_)
    memory.emplace(memory_->open());
  for (size_t split = 0; split < splits_.size(); ++split) {
    json& record = split_records_[splits_[split].name][sides_[0].language];
    if (options_.trees)
      record["trees"] = write_source_trees(split);
    if (memory)
      record["phrases"] = write_source_phrases(split, *memory);
    if (!splits_[split].alignments.empty())
      record["alignments"] = write_split_alignments(split);
  }
}

void Run::write_splits() {
  for (const Side& side : sides_) {
    for (size_t split = 0; split < splits_.size() && !options_.dict_only; ++split) {
      const SplitCounts counts = write_side(split, side);
      log_info(fmt::format(
          "[{}] {}: {}", side.language, splits_[split].files[side.number], to_string(counts)));
      json& record = split_records_[splits_[split].name];
      record["sentences"] = counts.sentences;
      record["skipped"] = reports_[split].skipped.size();
      record[side.language] =
          dataset_record(splits_[split].files[side.number], result(split, side));
      record[side.language]["tokens"] = counts.tokens;
      record[side.language]["replaced"] = counts.replaced;
    }
    fs::remove(provisional(side) + ".bin");
    fs::remove(provisional(side) + ".idx");
  }
  if (!options_.dict_only)
    write_beside_source();
}

void Run::write_manifest(const json& recorded_options) const {
  json dictionaries = json::object();
  for (const Side& side : sides_) {
    dictionaries[side.language] = {{"symbols", side.dictionary->size()},
                                   {"crc32c", crc32c_text(side.dictionary->fingerprint())}};
  }
  json manifest = {
      {"version", kDataManifestVersion},
      {"complete", true},
      {"phraseq", PHRASEQ_VERSION},
      {"source_language", options_.source_lang},
      {"target_language", target_language()},
      {"tokenizer", {{"name", chosen_.name}, {"options", chosen_.options}, {"models", models_}}},
      {"dictionaries", dictionaries},
      {"splits", split_records_},
      {"options", recorded_options}};
  if (!shard_.is_all())
    manifest["shard"] = {{"index", shard_.index}, {"count", shard_.count}};
  if (memory_)
    manifest["phrase_memory"] = memory_->save(folder_);
  write_file(staged(kDataManifest), manifest.dump(2) + "\n");
}

void reject_earlier_result(const PreprocessOptions& options, const std::string& destination) {
  for (const std::string& language : {options.source_lang, options.target_lang}) {
    if (language.empty() && !options.source_lang.empty())
      continue;
    const std::string dictionary = dictionary_path(destination, language);
    if (options.overwrite || !fs::exists(dictionary))
      continue;
    throw UsageError(
        fmt::format("{} exists: {} contains the result of an earlier run", dictionary, destination),
        "Give another --destdir, or --overwrite.");
  }
}

/// So that a run that fails leaves no shard, which could be taken for its result.
void remove_earlier_shard(const std::string& folder) {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (problem)
    throw IoError(folder, "remove", problem.value());
}

}  // namespace

void preprocess(const PreprocessOptions& options,
                const ChosenTokenizer& tokenizer,
                const json& recorded_options) {
  const std::vector<SplitText> splits = find_splits(options);
  if (options.check_only) {
    check_splits(options, splits);
    return;
  }
  const Shard shard = options.shards.shard(process_environment());
  const std::string destination = shard_path(options.destdir, shard);
  reject_earlier_result(options, destination);
  if (!shard.is_all())
    remove_earlier_shard(destination);
  StagingFolder staging(destination);
  mark_unfinished_folder(staging.path());
  Run run(options, tokenizer, splits, check_splits(options, splits), shard, staging.path());
  run.read_phrase_memory();
  run.prepare_tokenizers();
  run.prepare_dictionaries();
  run.write_splits();
  run.write_manifest(recorded_options);
  mark_mixed_folder(destination);
  staging.commit(kDataManifest);
  log_info(fmt::format("Wrote preprocessed data to {}", destination));
}

}  // namespace phraseq
