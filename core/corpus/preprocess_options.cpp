#include "core/corpus/preprocess_options.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace phraseq {
namespace {

void describe_languages(OptionTable& table, PreprocessOptions& o) {
  table.section("Text");
  table.field("source-lang", o.source_lang, "Source language: the suffix of the source files.")
      .short_flag("s")
      .value_name("LANG");
  table.field("target-lang", o.target_lang, "Target language: the suffix of the target files.")
      .short_flag("t")
      .value_name("LANG");
}

void describe_text(OptionTable& table, PreprocessOptions& o) {
  table
      .field("trainpref",
             o.trainpref,
             "Prefix of the training files, PREFIX.LANG or PREFIX.LANG.gz (also used to build "
             "dictionaries).")
      .value_name("PREFIX");
  table
      .field("validpref",
             o.validpref,
             "Comma-separated prefixes of validation files; the splits are named valid, valid1, …")
      .value_name("PREFIX,...");
  table
      .field("testpref",
             o.testpref,
             "Comma-separated prefixes of test files; the splits are named test, test1, …")
      .value_name("PREFIX,...");
  table.field("only-source",
              o.only_source,
              "Process only the source language (for language models). Without --source-lang, the "
              "files are named PREFIX, and the result has fairseq's names: dict.txt, train.idx.");
}

void describe_bad_lines(OptionTable& table, PreprocessOptions& o) {
  table.field("on-bad-line",
              o.on_bad_line,
              kOnBadLineNames,
              "What to do with a line that has invalid UTF-8 or control bytes: error = stop; skip "
              "= leave the line out on both sides; replace = replace them with U+FFFD and spaces.");
  table
      .field("max-line-bytes",
             o.max_line_bytes,
             "Maximum length of a line in bytes; longer lines are invalid.")
      .at_least(1);
  table.field(
      "check-only", o.check_only, "Read all text and report every invalid line; write nothing.");
}

void describe_trees(OptionTable& table, PreprocessOptions& o) {
  table.section("Parse trees");
  table.field("trees",
              o.trees,
              "Also store parse trees of the source text: one bracketed tree per line in "
              "PREFIX.SRC.trees or PREFIX.SRC.trees.gz, for every split.");
  table.field("on-bad-tree",
              o.on_bad_tree,
              kOnBadTreeNames,
              "What to do with a line that is not a tree, or whose leaves do not match the "
              "sentence: stop, or store the sentence without a tree.");
}

void describe_alignments(OptionTable& table, PreprocessOptions& o) {
  table.section("Alignments");
  table
      .field("align-suffix",
             o.align_suffix,
             "Also store word alignments for training: PREFIX.SUFFIX or PREFIX.SUFFIX.gz, with the "
             "links of one sentence pair per line, for example 0-0 1-2. The numbers are positions "
             "of dictionary symbols. Only the training text must have alignments.")
      .value_name("SUFFIX");
  table.field("on-bad-alignment",
              o.on_bad_alignment,
              kOnBadAlignmentNames,
              "What to do with a line that is not an alignment, or that links words outside the "
              "sentences: stop, or store the pair without links.");
}

void describe_memory(OptionTable& table, PreprocessOptions& o) {
  table.section("Phrase memory");
  o.memory.describe_table(table);
  o.memory.describe_selection(table);
  table.field("pn-lowercase",
              o.pn_lowercase,
              "Ignore case when phrases are compared with the text; the output has the case of the "
              "table. Not needed with --lowercase of the tokenizer, which lowercases both.");
}

void describe_tokenizer(OptionTable& table, PreprocessOptions& o) {
  table.section("Tokenizer");
  table
      .field("tokenizer",
             o.tokenizer,
             "Name of the tokenizer; none = split at whitespace, for text that is already "
             "tokenized; auto = sentencepiece if there is a subword model, otherwise none.")
      .value_name("NAME");
}

void describe_subword_training(OptionTable& table, PreprocessOptions& o) {
  table
      .field("subwords",
             o.subwords,
             "Train a SentencePiece model with N pieces on the training text: one for both "
             "languages with --joined-dictionary, otherwise one per language.")
      .in(0, 10000000)
      .value_name("N");
  table.field("subword-type",
              o.subword_type,
              kSentencePieceTypeNames,
              "Type of SentencePiece model to train.");
  table
      .field("character-coverage",
             o.character_coverage,
             "Fraction of the characters of the text that a trained model covers (use 0.9995 for "
             "Chinese or Japanese).")
      .in(0.98, 1.0);
  table
      .field("subword-sentences",
             o.subword_sentences,
             "Train the model on at most N sentences, evenly spread over the training text; 0 = "
             "all. SentencePiece keeps them in memory.")
      .at_least(0)
      .value_name("N");
}

void describe_subword_models(OptionTable& table, PreprocessOptions& o) {
  table.field("subword-model", o.subword_model, "SentencePiece model for both languages.")
      .value_name("FILE");
  table
      .field("source-subword-model",
             o.source_subword_model,
             "SentencePiece model for the source language.")
      .value_name("FILE");
  table
      .field("target-subword-model",
             o.target_subword_model,
             "SentencePiece model for the target language.")
      .value_name("FILE");
}

void describe_dictionaries(OptionTable& table, PreprocessOptions& o) {
  table.section("Dictionaries");
  table.field("joined-dictionary", o.joined_dictionary, "Generate a joined dictionary.");
  table.field("srcdict", o.srcdict, "Reuse the given source dictionary.").value_name("FILE");
  table.field("tgtdict", o.tgtdict, "Reuse the given target dictionary.").value_name("FILE");
  table
      .field("thresholdsrc",
             o.thresholdsrc,
             "Map source symbols that occur fewer than N times to <unk>.")
      .at_least(0);
  table
      .field("thresholdtgt",
             o.thresholdtgt,
             "Map target symbols that occur fewer than N times to <unk>.")
      .at_least(0);
  table
      .field("nwordssrc",
             o.nwordssrc,
             "Size of the source dictionary, including special symbols; -1 = no limit.")
      .at_least(-1);
  table
      .field("nwordstgt",
             o.nwordstgt,
             "Size of the target dictionary, including special symbols; -1 = no limit.")
      .at_least(-1);
  table.field("padding-factor", o.padding_factor, "Pad the dictionary size to a multiple of N.")
      .in(1, 65536);
  table.field("dict-only", o.dict_only, "Write only dictionaries and subword models.");
}

void describe_result(OptionTable& table, PreprocessOptions& o) {
  table.section("Result");
  table.field("destdir", o.destdir, "Destination folder.").value_name("DIR");
  table
      .field("overwrite",
             o.overwrite,
             "Replace the files of an earlier run in the destination folder.")
      .harmless();
  table
      .field("workers",
             o.workers,
             "Number of threads for tokenization; the result does not depend on it.")
      .in(1, 1024)
      .harmless();
  o.shards.describe(table);
  table
      .field("seed",
             o.seed,
             "Random seed; accepted for compatibility with fairseq: preprocessing does not use "
             "random numbers.")
      .harmless();
}

/// Whether a dictionary of the source side is made from the training text.
bool builds_source(const PreprocessOptions& o) {
  return o.srcdict.empty() && !(o.joined_dictionary && !o.tgtdict.empty());
}

bool builds_target(const PreprocessOptions& o) {
  return !o.only_source && o.tgtdict.empty() && !(o.joined_dictionary && !o.srcdict.empty());
}

class ProblemList {
 public:
  explicit ProblemList(std::vector<std::string> found) : found_(std::move(found)) {}

  void add_if(bool wrong, const char* sentence) {
    if (wrong)
      found_.emplace_back(sentence);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

void check_text(const PreprocessOptions& o, ProblemList& problems) {
  const bool any_text = !o.trainpref.empty() || !o.validpref.empty() || !o.testpref.empty();
  problems.add_if(o.source_lang.empty() && !o.only_source, "--source-lang is missing");
  problems.add_if(o.target_lang.empty() && !o.only_source,
                  "--target-lang is missing (or give --only-source)");
  problems.add_if(!o.source_lang.empty() && o.source_lang == o.target_lang,
                  "--source-lang and --target-lang are the same");
  problems.add_if(!any_text, "no text given: use --trainpref, --validpref or --testpref");
  problems.add_if(
      o.trainpref.empty() && any_text && !o.check_only && (builds_source(o) || builds_target(o)),
      "without --trainpref, both --srcdict and --tgtdict are required");
  problems.add_if(o.trainpref.empty() && o.subwords > 0,
                  "--subwords trains on --trainpref, which is missing");
}

void check_dictionaries(const PreprocessOptions& o, ProblemList& problems) {
  problems.add_if(o.joined_dictionary && !o.srcdict.empty() && !o.tgtdict.empty(),
                  "--joined-dictionary accepts one of --srcdict and --tgtdict, not both");
  problems.add_if(o.joined_dictionary && o.only_source && (o.srcdict + o.tgtdict).empty(),
                  "--joined-dictionary and --only-source need --srcdict: there is no target text");
}

/// Whether this is one of our tokenizers that reads no SentencePiece model; a plugin's may.
bool has_no_use_for_models(const std::string& tokenizer) {
  constexpr std::array<std::string_view, 4> kWithout = {"none", "word", "bpe", "moses"};
  return std::find(kWithout.begin(), kWithout.end(), tokenizer) != kWithout.end();
}

void check_subwords(const PreprocessOptions& o, ProblemList& problems) {
  const std::string models_of_sides = o.source_subword_model + o.target_subword_model;
  problems.add_if(o.subwords > 0 && o.has_subword_model(),
                  "--subwords trains a model, --subword-model loads one: give only one of them");
  problems.add_if(
      !o.subword_model.empty() && !models_of_sides.empty(),
      "--subword-model is for both languages: do not combine it with a model for one language");
  problems.add_if(
      o.source_subword_model.empty() != o.target_subword_model.empty() && !o.only_source,
      "--source-subword-model and --target-subword-model must be given together");
  problems.add_if(o.subwords > 0 && o.tokenizer != "auto" && o.tokenizer != "sentencepiece",
                  "--subwords trains a model for --tokenizer sentencepiece");
  problems.add_if(o.tokenizer == "sentencepiece" && o.subwords == 0 && !o.has_subword_model(),
                  "--tokenizer sentencepiece needs --subwords N or --subword-model FILE");
  problems.add_if(
      o.subwords == 0 && o.has_subword_model() && has_no_use_for_models(o.tokenizer),
      "--subword-model, --source-subword-model and --target-subword-model are for --tokenizer "
      "sentencepiece");
  problems.add_if(o.only_source && !o.target_subword_model.empty(),
                  "--only-source has no target text: do not use --target-subword-model");
}

/// Options that say how something is done that this run does not do.
void check_unused_of_preprocess(const PreprocessOptions& o, ProblemList& problems) {
  const PreprocessOptions defaults;
  problems.add_if(o.subwords == 0 && o.subword_type != defaults.subword_type,
                  "--subword-type is for --subwords N, which is missing");
  problems.add_if(o.subwords == 0 && o.character_coverage != defaults.character_coverage,
                  "--character-coverage is for --subwords N, which is missing");
  problems.add_if(o.subwords == 0 && o.subword_sentences != defaults.subword_sentences,
                  "--subword-sentences is for --subwords N, which is missing");
  problems.add_if(!o.trees && o.on_bad_tree != defaults.on_bad_tree,
                  "--on-bad-tree is for --trees, which is missing");
  problems.add_if(o.align_suffix.empty() && o.on_bad_alignment != defaults.on_bad_alignment,
                  "--on-bad-alignment is for --align-suffix SUFFIX, which is missing");
  problems.add_if(o.pn_lowercase && !o.memory.any(),
                  "--pn-lowercase is for --phrase-table or --pn-rules, which are missing");
}

void check_shards(const PreprocessOptions& o, ProblemList& problems) {
  if (!o.shards.is_sharded())
    return;
  problems.add_if(o.trainpref.empty(),
                  "--num-shards divides the training text: --trainpref is missing");
  problems.add_if(o.subwords > 0,
                  "--num-shards and --subwords cannot be combined: train the subword model first, "
                  "with --dict-only");
  problems.add_if(o.subwords == 0 && (builds_source(o) || builds_target(o)),
                  "--num-shards needs the same dictionaries in all shards: make them first with "
                  "--dict-only, and give --srcdict and --tgtdict");
  problems.add_if(o.dict_only || o.check_only,
                  "--num-shards cannot be combined with --dict-only or --check-only");
}

}  // namespace

void PreprocessOptions::describe(OptionTable& table) {
  describe_languages(table, *this);
  describe_text(table, *this);
  describe_bad_lines(table, *this);
  describe_trees(table, *this);
  describe_alignments(table, *this);
  describe_memory(table, *this);
  describe_tokenizer(table, *this);
  describe_subword_training(table, *this);
  describe_subword_models(table, *this);
  describe_dictionaries(table, *this);
  describe_result(table, *this);
}

std::vector<std::string> PreprocessOptions::problems() const {
  ProblemList problems(shards.problems());
  check_text(*this, problems);
  check_dictionaries(*this, problems);
  check_subwords(*this, problems);
  check_unused_of_preprocess(*this, problems);
  problems.add_if(only_source && !align_suffix.empty(),
                  "--align-suffix needs two languages: do not combine it with --only-source");
  check_shards(*this, problems);
  problems.add_if(memory.any() && tokenizer_component() != "word",
                  "--phrase-table and --pn-rules work on words: do not use them with subwords");
  return problems.take();
}

LineReaderOptions PreprocessOptions::reading() const {
  LineReaderOptions options;
  options.max_line_bytes = max_line_bytes;
  options.on_bad_line = check_only ? OnBadLine::kSkip : on_bad_line;
  return options;
}

bool PreprocessOptions::has_subword_model() const {
  return !(subword_model + source_subword_model + target_subword_model).empty();
}

std::string PreprocessOptions::tokenizer_component() const {
  if (tokenizer == "auto")
    return subwords > 0 || has_subword_model() ? "sentencepiece" : "word";
  return tokenizer == "none" ? "word" : tokenizer;
}

}  // namespace phraseq
