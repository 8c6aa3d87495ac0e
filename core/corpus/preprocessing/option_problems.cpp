#include "core/corpus/preprocessing/option_problems.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace phraseq {
namespace {

/// Whether a dictionary of the source side is made from the training text.
bool builds_source(const PreprocessOptions& o) {
  return o.srcdict.empty() && !(o.joined_dictionary && !o.tgtdict.empty());
}

bool builds_target(const PreprocessOptions& o) {
  return !o.only_source && o.tgtdict.empty() && !(o.joined_dictionary && !o.srcdict.empty());
}

bool has_empty(const std::vector<std::string>& prefixes) {
  return std::find(prefixes.begin(), prefixes.end(), "") != prefixes.end();
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
  problems.add_if(has_empty(o.validpref), "--validpref contains an empty prefix");
  problems.add_if(has_empty(o.testpref), "--testpref contains an empty prefix");
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

/// Whether this is a built-in tokenizer that does not read SentencePiece models; a plugin's may.
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
      "--subword-model, --source-subword-model and --target-subword-model need --tokenizer "
      "sentencepiece");
  problems.add_if(o.only_source && !o.target_subword_model.empty(),
                  "--only-source has no target text: do not use --target-subword-model");
}

/// Rejects options of steps that this run does not take.
void check_unused_of_preprocess(const PreprocessOptions& o, ProblemList& problems) {
  const PreprocessOptions defaults;
  problems.add_if(o.subwords == 0 && o.subword_type != defaults.subword_type,
                  "--subword-type needs --subwords N");
  problems.add_if(o.subwords == 0 && o.character_coverage != defaults.character_coverage,
                  "--character-coverage needs --subwords N");
  problems.add_if(o.subwords == 0 && o.subword_sentences != defaults.subword_sentences,
                  "--subword-sentences needs --subwords N");
  problems.add_if(!o.trees && o.on_bad_tree != defaults.on_bad_tree, "--on-bad-tree needs --trees");
  problems.add_if(o.align_suffix.empty() && o.on_bad_alignment != defaults.on_bad_alignment,
                  "--on-bad-alignment needs --align-suffix SUFFIX");
  problems.add_if(o.pn_lowercase && !o.memory.any(),
                  "--pn-lowercase needs --phrase-table or --pn-rules");
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

std::vector<std::string> preprocessing_problems(const PreprocessOptions& options) {
  ProblemList problems(options.shards.problems());
  check_text(options, problems);
  check_dictionaries(options, problems);
  check_subwords(options, problems);
  check_unused_of_preprocess(options, problems);
  problems.add_if(options.only_source && !options.align_suffix.empty(),
                  "--align-suffix needs two languages: do not combine it with --only-source");
  check_shards(options, problems);
  problems.add_if(options.memory.any() && options.tokenizer_component() != "word",
                  "--phrase-table and --pn-rules work on words: do not use them with subwords");
  return problems.take();
}

}  // namespace phraseq
