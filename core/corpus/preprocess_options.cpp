#include "core/corpus/preprocess_options.h"

namespace phraseq {
namespace {

void describe_text(OptionTable& table, PreprocessOptions& o) {
  table.section("Text");
  table.field("source-lang", o.source_lang, "Source language: the suffix of its files.")
      .short_flag("s")
      .value_name("LANG");
  table.field("target-lang", o.target_lang, "Target language.").short_flag("t").value_name("LANG");
  table
      .field("trainpref",
             o.trainpref,
             "Training text without the suffix: PREFIX.LANG, or gzipped PREFIX.LANG.gz.")
      .value_name("PREFIX");
  table.field("validpref", o.validpref, "Validation texts: valid, valid1, … in the result.")
      .value_name("PREFIX,...");
  table.field("testpref", o.testpref, "Test texts: test, test1, … in the result.")
      .value_name("PREFIX,...");
  table.field("only-source", o.only_source, "There is no target side (language models).");
  table
      .field("on-bad-line",
             o.on_bad_line,
             "What to do with a line of bad UTF-8 or with control bytes: stop, leave it out on "
             "both sides, "
             "or put U+FFFD and spaces in its place.")
      .one_of({"error", "skip", "replace"});
  table.field("max-line-bytes", o.max_line_bytes, "A longer line is a bad one.").at_least(1);
  table.field("check-only", o.check_only, "Read all text, report every bad line, write nothing.");
}

void describe_trees(OptionTable& table, PreprocessOptions& o) {
  table.section("Parse trees");
  table.field("trees",
              o.trees,
              "Also store parse trees of the source text, which stand beside it: bracketed trees, "
              "line by line, in PREFIX.SRC.trees or PREFIX.SRC.trees.gz of every split.");
  table
      .field("on-bad-tree",
             o.on_bad_tree,
             "What to do with a line that is no tree, or whose leaves do not spell the sentence: "
             "stop, or leave the sentence without a tree.")
      .one_of({"error", "skip"});
}

void describe_memory(OptionTable& table, PreprocessOptions& o) {
  table.section("Phrase memory");
  o.memory.describe_table(table);
  o.memory.describe_selection(table);
  table.field("pn-lowercase",
              o.pn_lowercase,
              "Ignore case when phrases are compared with the text; they still say what the table "
              "says. Not needed with --lowercase of the tokenizer, which lower-cases both.");
}

void describe_symbols(OptionTable& table, PreprocessOptions& o) {
  table.section("Tokenizer");
  table
      .field(
          "tokenizer",
          o.tokenizer,
          "How text becomes symbols: the name of a tokenizer; none = words between white space, "
          "for "
          "text that was tokenized before; auto = sentencepiece with a subword model, else none.")
      .value_name("NAME");
  table
      .field("subwords",
             o.subwords,
             "Learn a SentencePiece model of so many pieces from the training text: one for both "
             "languages with --joined-dictionary, else one each.")
      .at_least(0)
      .value_name("N");
  table.field("subword-type", o.subword_type, "Kind of model to learn.").one_of({"bpe", "unigram"});
  table
      .field("character-coverage",
             o.character_coverage,
             "Share of the text's characters that a learned model knows (0.9995 for Chinese or "
             "Japanese).")
      .in(0.98, 1.0);
  table.field("subword-model", o.subword_model, "Use this model on both sides.").value_name("FILE");
  table.field("source-subword-model", o.source_subword_model, "Use this model on the source side.")
      .value_name("FILE");
  table.field("target-subword-model", o.target_subword_model, "Use this model on the target side.")
      .value_name("FILE");
}

void describe_dictionaries(OptionTable& table, PreprocessOptions& o) {
  table.section("Dictionaries");
  table.field("joined-dictionary", o.joined_dictionary, "One dictionary for both languages.");
  table.field("srcdict", o.srcdict, "Use this source dictionary.").value_name("FILE");
  table.field("tgtdict", o.tgtdict, "Use this target dictionary.").value_name("FILE");
  table.field("thresholdsrc", o.thresholdsrc, "Source symbols seen less often become <unk>.")
      .at_least(0);
  table.field("thresholdtgt", o.thresholdtgt, "Target symbols seen less often become <unk>.")
      .at_least(0);
  table
      .field("nwordssrc",
             o.nwordssrc,
             "Size of the source dictionary, special symbols counted; -1 = all.")
      .at_least(-1);
  table
      .field("nwordstgt",
             o.nwordstgt,
             "Size of the target dictionary, special symbols counted; -1 = all.")
      .at_least(-1);
  table.field("padding-factor", o.padding_factor, "Pad dictionaries to a multiple of this.")
      .at_least(1);
  table.field("dict-only", o.dict_only, "Write dictionaries and subword models only.");
}

void describe_result(OptionTable& table, PreprocessOptions& o) {
  table.section("Result");
  table.field("destdir", o.destdir, "Folder to write.").value_name("DIR");
  table.field("overwrite", o.overwrite, "Replace the files of an earlier run in that folder.")
      .harmless();
  table.field("workers", o.workers, "Threads that tokenize; the result does not depend on it.")
      .in(1, 1024)
      .harmless();
  table.field("seed", o.seed, "Recorded, for fairseq's command lines; nothing here is random.")
      .harmless();
}

bool one_file_twice(const PreprocessOptions& o) {
  return !o.subword_model.empty() && !(o.source_subword_model + o.target_subword_model).empty();
}

}  // namespace

void PreprocessOptions::describe(OptionTable& table) {
  describe_text(table, *this);
  describe_trees(table, *this);
  describe_memory(table, *this);
  describe_symbols(table, *this);
  describe_dictionaries(table, *this);
  describe_result(table, *this);
}

std::vector<std::string> PreprocessOptions::problems() const {
  std::vector<std::string> found;
  const auto refuse_if = [&](bool wrong, const char* sentence) {
    if (wrong)
      found.emplace_back(sentence);
  };
  const bool any_text = !trainpref.empty() || !validpref.empty() || !testpref.empty();
  const bool builds_source = srcdict.empty() && !(joined_dictionary && !tgtdict.empty());
  const bool builds_target =
      !only_source && tgtdict.empty() && !(joined_dictionary && !srcdict.empty());
  refuse_if(source_lang.empty(), "--source-lang is missing");
  refuse_if(target_lang.empty() && !only_source,
            "--target-lang is missing (or give --only-source)");
  refuse_if(!source_lang.empty() && source_lang == target_lang,
            "--source-lang and --target-lang are the same");
  refuse_if(!any_text, "no text: give --trainpref, --validpref or --testpref");
  refuse_if(trainpref.empty() && any_text && !check_only && (builds_source || builds_target),
            "without --trainpref there must be --srcdict and --tgtdict");
  refuse_if(trainpref.empty() && subwords > 0,
            "--subwords learns from --trainpref, which is missing");
  refuse_if(joined_dictionary && !srcdict.empty() && !tgtdict.empty(),
            "--joined-dictionary takes one of --srcdict and --tgtdict, not both");
  refuse_if(joined_dictionary && only_source,
            "--joined-dictionary and --only-source contradict each other");
  refuse_if(subwords > 0 && has_subword_model(),
            "--subwords learns a model, --subword-model gives one: choose");
  refuse_if(one_file_twice(*this),
            "--subword-model is for both sides: leave out the one for a single side");
  refuse_if(source_subword_model.empty() != target_subword_model.empty() && !only_source,
            "--source-subword-model and --target-subword-model go together");
  refuse_if(subwords > 0 && tokenizer != "auto" && tokenizer != "sentencepiece",
            "--subwords learns a model for --tokenizer sentencepiece");
  refuse_if(tokenizer == "sentencepiece" && subwords == 0 && !has_subword_model(),
            "--tokenizer sentencepiece needs --subwords N or --subword-model FILE");
  refuse_if(memory.any() && tokenizer_component() != "word",
            "--phrase-table and --pn-rules are about words: leave the subwords out");
  return found;
}

LineReaderOptions PreprocessOptions::reading() const {
  LineReaderOptions options;
  options.max_line_bytes = max_line_bytes;
  if (on_bad_line == "skip" || check_only)
    options.on_bad_line = OnBadLine::kSkip;
  if (on_bad_line == "replace" && !check_only)
    options.on_bad_line = OnBadLine::kReplace;
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
