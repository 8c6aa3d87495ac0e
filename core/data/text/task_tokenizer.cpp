#include "core/data/text/task_tokenizer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/with_place.h"
#include "core/options/option_text.h"
#include "core/plugin/named_tokenizer.h"
#include "core/plugin/select_recorded.h"

namespace phraseq {
namespace {

void sample_with(OptionTable& table, const std::string& tokenizer, double dropout) {
  OptionField* sampling = table.find("sentencepiece-alpha");
  if (sampling == nullptr)
    sampling = table.find("bpe-dropout");
  if (sampling == nullptr) {
    throw UsageError(fmt::format("--bpe-dropout: the tokenizer '{}' cannot segment at random: it "
                                 "has no option bpe-dropout",
                                 tokenizer),
                     "Use a SentencePiece model, or the tokenizers moses and bpe with --bpe.");
  }
  sampling->from_text(fmt::format("{}", dropout), OptionOrigin::kCommandLine);
}

}  // namespace

void describe_tokenizer(OptionTable& table, std::string& tokenizer) {
  table.field("tokenizer",
              tokenizer,
              "Tokenizer for raw text; auto = the tokenizer of the data folder, or sentencepiece "
              "if there is a subword model, otherwise word.");
}

void describe_bpe_dropout(OptionTable& table, double& bpe_dropout) {
  table
      .field("bpe-dropout",
             bpe_dropout,
             "Subword regularization: segment the training text at random, anew in every epoch. "
             "The value is the dropout probability of merges (BPE models) or the smoothing "
             "parameter (unigram models); 0 = off. Needs raw text.")
      .alias("sampling-alpha")
      .in(0.0, 1.0);
}

void check_bpe_dropout(double bpe_dropout,
                       const std::string& data_loader,
                       std::vector<std::string>& problems) {
  if (bpe_dropout > 0 && data_loader == "indexed")
    problems.emplace_back("--bpe-dropout needs raw text: --data-loader text, not indexed");
}

std::unique_ptr<Tokenizer> task_tokenizer(const TaskSetup& setup,
                                          const Vocabularies& vocabularies,
                                          const Vocabularies::Side& side,
                                          const TokenizerChoice& choice) {
  const std::string& name = vocabularies.tokenizer;
  const std::string& place = setup.state != nullptr ? setup.state->place : setup.data;
  const bool asked_for = setup.state == nullptr && choice.name == name;
  Selection selection = asked_for ? setup.registry->select(Tokenizer::kKind, name)
                                  : select_recorded(*setup.registry, Tokenizer::kKind, name, place);
  OptionTable table = described(selection);
  with_place(place,
             [&] { from_json(table, vocabularies.tokenizer_options, OptionOrigin::kCheckpoint); });
  if (choice.bpe_dropout > 0)
    sample_with(table, name, choice.bpe_dropout);
  return std::make_unique<NamedTokenizer>(
      selection, TokenizerSetup{side.model, side.model_name, side.language});
}

}  // namespace phraseq
