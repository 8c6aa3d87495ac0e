#include "core/corpus/preprocessing/option_fields.h"

#include "core/options/on_bad_line.h"

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
      .field(
          "tokenizer",
          o.tokenizer,
          "Name of the tokenizer; word (or none) = split at whitespace, for text that is already "
          "tokenized; auto = sentencepiece if there is a subword model, otherwise word.")
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
             "Size of the source dictionary, including the 4 special symbols; 0 or -1 = no limit.")
      .at_least(-1);
  table
      .field("nwordstgt",
             o.nwordstgt,
             "Size of the target dictionary, including the 4 special symbols; 0 or -1 = no limit.")
      .at_least(-1);
  table
      .field("padding-factor",
             o.padding_factor,
             "Pad the dictionary size to a multiple of N; 0 or 1 = no padding.")
      .in(0, 65536);
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

}  // namespace

void describe_preprocessing(OptionTable& table, PreprocessOptions& options) {
  describe_languages(table, options);
  describe_text(table, options);
  describe_bad_lines(table, options);
  describe_trees(table, options);
  describe_alignments(table, options);
  describe_memory(table, options);
  describe_tokenizer(table, options);
  describe_subword_training(table, options);
  describe_subword_models(table, options);
  describe_dictionaries(table, options);
  describe_result(table, options);
}

}  // namespace phraseq
