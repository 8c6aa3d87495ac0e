#include "core/corpus/preprocess.h"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/split_check.h"
#include "core/corpus/split_writer.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/mapped_file.h"
#include "core/io/staging_folder.h"
#include "core/text/dictionary.h"
#include "core/text/lower_case.h"
#include "core/text/sentencepiece_training.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kPlacesOfACheck = 100;

/// One language of the run.
struct Side {
  std::string language;
  std::unique_ptr<Tokenizer> tokenizer;
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<int64_t> final_ids;  ///< of the provisional ids; empty when the dictionary was given
};
using Sides = std::vector<Side*>;

std::string hexadecimal(uint32_t sum) { return fmt::format("{:08x}", sum); }

/// PREFIX.LANG, or PREFIX.LANG.gz where only that exists.
std::string text_file(const std::string& prefix, const std::string& language) {
  const std::string plain = prefix + "." + language;
  if (fs::exists(plain))
    return plain;
  if (fs::exists(plain + ".gz"))
    return plain + ".gz";
  throw IoError(plain, "open", ENOENT, fmt::format("Neither it nor {}.gz is there.", plain));
}

std::vector<SplitText> find_splits(const PreprocessOptions& options,
                                   const std::vector<Side>& sides) {
  std::vector<SplitText> splits;
  const auto add = [&](const std::string& name, const std::string& prefix) {
    SplitText split{name, {}};
    for (const Side& side : sides) split.files.push_back(text_file(prefix, side.language));
    splits.push_back(std::move(split));
  };
  const auto add_numbered = [&](const std::string& name, const std::vector<std::string>& prefixes) {
    for (size_t i = 0; i < prefixes.size(); ++i)
      add(i == 0 ? name : fmt::format("{}{}", name, i), prefixes[i]);
  };
  if (!options.trainpref.empty())
    add("train", options.trainpref);
  add_numbered("valid", options.validpref);
  add_numbered("test", options.testpref);
  return splits;
}

/// One run of `preprocess`, step by step.
class Run {
 public:
  Run(const PreprocessOptions& options, const ChosenTokenizer& tokenizer);

  void check_text();
  void prepare_destination();
  void prepare_tokenizers();
  void prepare_dictionaries();
  void write_splits();
  void publish(const json& recorded_options);

 private:
  bool has_train() const { return !splits_.empty() && splits_[0].name == "train"; }
  std::string staged(const std::string& name) const { return staging_->path() + "/" + name; }
  std::string provisional(const Side& side) const { return staged("provisional." + side.language); }
  CheckedText text(size_t split, size_t side) const;
  std::string learn_subwords(const Sides& of) const;
  void use_model(const Sides& of, const std::string& model, const std::string& name);
  void use_dictionary(const Sides& of, const std::string& file);
  void build_dictionary(const Sides& of, int64_t threshold, int64_t max_symbols);
  Tally write_side(size_t split, size_t side);
  json side_record(size_t split, size_t side, const Tally& tally) const;
  void remove_provisional() const;

  const PreprocessOptions& options_;
  const ChosenTokenizer& chosen_;
  std::vector<Side> sides_;
  std::vector<SplitText> splits_;
  std::vector<SplitReport> reports_;
  std::optional<StagingFolder> staging_;
  json models_ = json::object();
  json split_records_ = json::object();
};

Run::Run(const PreprocessOptions& options, const ChosenTokenizer& tokenizer)
    : options_(options), chosen_(tokenizer), sides_(options.only_source ? 1 : 2) {
  sides_[0].language = options.source_lang;
  if (!options.only_source)
    sides_[1].language = options.target_lang;
  splits_ = find_splits(options, sides_);
}

void Run::check_text() {
  int64_t bad = 0;
  for (const SplitText& split : splits_) {
    reports_.push_back(
        check_split(split, options_.reading(), options_.check_only ? kPlacesOfACheck : 3));
    const SplitReport& report = reports_.back();
    bad += static_cast<int64_t>(report.skipped.size());
    log_info(to_string(report, split));
    if (split.name == "train" && report.kept() == report.empty) {
      throw DataError(fmt::format("{}: there is no text to train on", split.files[0]),
                      "Every line is empty, or was skipped.");
    }
  }
  if (options_.check_only && bad > 0) {
    throw DataError(fmt::format("{} lines are bad; nothing was written", bad),
                    "--on-bad-line skip leaves them out, --on-bad-line replace mends them.");
  }
}

void Run::prepare_destination() {
  for (const Side& side : sides_) {
    const std::string dictionary = fmt::format("{}/dict.{}.txt", options_.destdir, side.language);
    if (!options_.overwrite && fs::exists(dictionary)) {
      throw UsageError(
          fmt::format("{} exists: {} holds an earlier result", dictionary, options_.destdir),
          "Give another --destdir, or --overwrite.");
    }
  }
  staging_.emplace(options_.destdir);
}

CheckedText Run::text(size_t split, size_t side) const {
  return {splits_[split].files[side],
          options_.reading(),
          reports_[split].lines,
          reports_[split].skipped};
}

std::string Run::learn_subwords(const Sides& of) const {
  std::vector<CheckedText> texts;
  for (const Side* side : of) texts.push_back(text(0, static_cast<size_t>(side - sides_.data())));
  const bool lowercase = chosen_.options.value("lowercase", false);
  size_t current = 0;
  auto next_line = kept_lines(texts[0]);
  const auto next = [&](std::string& line) {
    while (!next_line(line)) {
      if (++current == texts.size())
        return false;
      next_line = kept_lines(texts[current]);
    }
    if (lowercase)
      line = lower_case(line);
    return true;
  };
  log_info(fmt::format("learning {} {} pieces from {}",
                       options_.subwords,
                       options_.subword_type,
                       of.size() > 1 ? "both languages" : "[" + of[0]->language + "]"));
  return train_sentencepiece(
      next, {options_.subword_type, options_.subwords, options_.character_coverage});
}

void Run::use_model(const Sides& of, const std::string& model, const std::string& name) {
  const std::string file = of.size() == sides_.size()
                               ? fmt::format("{}.model", chosen_.name)
                               : fmt::format("{}.{}.model", chosen_.name, of[0]->language);
  for (Side* side : of) {
    side->tokenizer = chosen_.make({model, name});
    if (!model.empty())
      models_[side->language] = file;
  }
  if (!model.empty())
    write_file(staged(file), model);
}

void Run::prepare_tokenizers() {
  Sides all;
  for (Side& side : sides_) all.push_back(&side);
  if (options_.subwords > 0 && options_.joined_dictionary) {
    use_model(all, learn_subwords(all), "the learned model");
  } else if (options_.subwords > 0) {
    for (Side* side : all) use_model({side}, learn_subwords({side}), "the learned model");
  } else if (!options_.source_subword_model.empty()) {
    use_model({all[0]}, read_file(options_.source_subword_model), options_.source_subword_model);
    if (all.size() > 1)
      use_model({all[1]}, read_file(options_.target_subword_model), options_.target_subword_model);
  } else {
    const std::string& file = options_.subword_model;
    use_model(all, file.empty() ? "" : read_file(file), file);
  }
}

void Run::use_dictionary(const Sides& of, const std::string& file) {
  const auto dictionary = std::make_shared<const Dictionary>(Dictionary::load(file));
  for (Side* side : of) side->dictionary = dictionary;
}

/// Counts the training text of `of` and keeps it with provisional ids.
void Run::build_dictionary(const Sides& of, int64_t threshold, int64_t max_symbols) {
  Dictionary counted;
  for (const Side* side : of) {
    const size_t number = static_cast<size_t>(side - sides_.data());
    write_provisional(
        text(0, number), *side->tokenizer, counted, options_.workers, provisional(*side));
  }
  auto finished = std::make_shared<Dictionary>(counted);
  finished->finalise(threshold, max_symbols, options_.padding_factor);
  std::vector<int64_t> final_ids;
  for (int64_t id = 0; id < counted.size(); ++id)
    final_ids.push_back(finished->id(counted.symbol(id)));
  for (Side* side : of) {
    side->dictionary = finished;
    side->final_ids = final_ids;
  }
}

void Run::prepare_dictionaries() {
  Side* source = &sides_[0];
  const std::string given = options_.srcdict.empty() ? options_.tgtdict : options_.srcdict;
  if (options_.joined_dictionary) {
    const Sides both = {source, &sides_[1]};
    given.empty() ? build_dictionary(both, options_.thresholdsrc, options_.nwordssrc)
                  : use_dictionary(both, given);
  } else {
    options_.srcdict.empty() ? build_dictionary({source}, options_.thresholdsrc, options_.nwordssrc)
                             : use_dictionary({source}, options_.srcdict);
    if (sides_.size() > 1) {
      options_.tgtdict.empty()
          ? build_dictionary({&sides_[1]}, options_.thresholdtgt, options_.nwordstgt)
          : use_dictionary({&sides_[1]}, options_.tgtdict);
    }
  }
  for (const Side& side : sides_) {
    side.dictionary->save(staged(fmt::format("dict.{}.txt", side.language)));
    log_info(fmt::format("[{}] Dictionary: {} types", side.language, side.dictionary->size()));
  }
}

Tally Run::write_side(size_t split, size_t side) {
  const Side& of = sides_[side];
  const std::string target = options_.only_source ? "None" : options_.target_lang;
  const std::string prefix = indexed_prefix(
      staging_->path(), splits_[split].name, options_.source_lang, target, of.language);
  if (split == 0 && has_train() && !of.final_ids.empty()) {
    return rewrite_split(provisional(of), of.final_ids, of.dictionary->size(), prefix);
  }
  return write_split(text(split, side), *of.tokenizer, *of.dictionary, options_.workers, prefix);
}

json Run::side_record(size_t split, size_t side, const Tally& tally) const {
  const std::string& file = splits_[split].files[side];
  const std::string target = options_.only_source ? "None" : options_.target_lang;
  const IndexedDataset written = IndexedDataset::open(indexed_prefix(
      staging_->path(), splits_[split].name, options_.source_lang, target, sides_[side].language));
  return {{"input", file},
          {"input_bytes", fs::file_size(file)},
          {"input_crc32c", hexadecimal(crc32c(MappedFile(file).bytes()))},
          {"tokens", tally.tokens},
          {"replaced", tally.replaced},
          {"index_crc32c", hexadecimal(written.fingerprint())},
          {"ids_crc32c", hexadecimal(written.ids_fingerprint())}};
}

void Run::write_splits() {
  for (size_t side = 0; side < sides_.size() && !options_.dict_only; ++side) {
    for (size_t split = 0; split < splits_.size(); ++split) {
      const Tally tally = write_side(split, side);
      const double percent = tally.tokens == 0 ? 0.0
                                               : 100.0 * static_cast<double>(tally.replaced) /
                                                     static_cast<double>(tally.tokens);
      log_info(fmt::format("[{}] {}: {} sents, {} tokens, {:.3}% replaced (by <unk>)",
                           sides_[side].language,
                           splits_[split].files[side],
                           tally.sentences,
                           tally.tokens,
                           percent));
      json& record = split_records_[splits_[split].name];
      record["sentences"] = tally.sentences;
      record["skipped"] = reports_[split].skipped.size();
      record[sides_[side].language] = side_record(split, side, tally);
    }
  }
  remove_provisional();
}

void Run::remove_provisional() const {
  for (const Side& side : sides_) {
    fs::remove(provisional(side) + ".bin");
    fs::remove(provisional(side) + ".idx");
  }
}

void Run::publish(const json& recorded_options) {
  json dictionaries = json::object();
  for (const Side& side : sides_) {
    dictionaries[side.language] = {{"symbols", side.dictionary->size()},
                                   {"crc32c", hexadecimal(side.dictionary->fingerprint())}};
  }
  const json manifest = {
      {"version", kDataManifestVersion},
      {"complete", true},
      {"phraseq", PHRASEQ_VERSION},
      {"source_language", options_.source_lang},
      {"target_language", options_.only_source ? "None" : options_.target_lang},
      {"tokenizer", {{"name", chosen_.name}, {"options", chosen_.options}, {"models", models_}}},
      {"dictionaries", dictionaries},
      {"splits", split_records_},
      {"options", recorded_options}};
  write_file(staged(kDataManifest), manifest.dump(2) + "\n");
  if (fs::exists(options_.destdir) && !fs::is_empty(options_.destdir)) {
    const json unfinished = {{"version", kDataManifestVersion}, {"complete", false}};
    write_file(options_.destdir + "/" + kDataManifest, unfinished.dump() + "\n");
  }
  staging_->commit(kDataManifest);
  log_info(fmt::format("Wrote preprocessed data to {}", options_.destdir));
}

}  // namespace

void preprocess(const PreprocessOptions& options,
                const ChosenTokenizer& tokenizer,
                const json& recorded_options) {
  Run run(options, tokenizer);
  if (!options.check_only)
    run.prepare_destination();
  run.check_text();
  if (options.check_only)
    return;
  run.prepare_tokenizers();
  run.prepare_dictionaries();
  run.write_splits();
  run.publish(recorded_options);
}

}  // namespace phraseq
