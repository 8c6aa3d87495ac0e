#include "core/text/processing/text_pipeline.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text_fields.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/utf8.h"
#include "core/text/append_symbols.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

constexpr std::string_view kLanguageMark = "{lang}";
constexpr const char* kCodes = "bpe_codes";
constexpr const char* kVocabulary = "bpe_vocabulary";
constexpr const char* kTruecaser = "truecase_model";

std::string file_for(std::string path, const std::string& language) {
  for (size_t at = path.find(kLanguageMark); at != std::string::npos; at = path.find(kLanguageMark))
    path.replace(at, kLanguageMark.size(), language);
  return path;
}

/// A file that can be stored in the model, which is JSON. Throws DataError if it is not UTF-8.
std::string read_text(const std::string& path) {
  std::string text = read_file(path);
  int64_t number = 0;
  for (const std::string_view line : split_text(text, "\n")) {
    ++number;
    if (const auto fault = find_text_fault(line, ControlBytes::kAllow)) {
      throw DataError({path, number, static_cast<int64_t>(fault->offset) + 1},
                      fault_text(line, *fault),
                      "Learn the file from text in UTF-8, or convert it with iconv.");
    }
  }
  return text;
}

/// Makes the model of a new pipeline from the files of its options; empty if it needs no file.
std::string read_model(const TextPipelineOptions& options,
                       const std::string& truecase_model,
                       const std::string& language) {
  nlohmann::json model = nlohmann::json::object();
  if (options.bpe != BpeKind::kNone && options.bpe_codes.empty())
    throw UsageError("--bpe needs --bpe-codes FILE");
  if (options.bpe != BpeKind::kNone)
    model[kCodes] = read_text(file_for(options.bpe_codes, language));
  if (options.bpe != BpeKind::kNone && !options.bpe_vocabulary.empty())
    model[kVocabulary] = read_text(file_for(options.bpe_vocabulary, language));
  if (!truecase_model.empty())
    model[kTruecaser] = read_text(file_for(truecase_model, language));
  return model.empty() ? std::string() : model.dump();
}

std::unique_ptr<MosesTruecaser> truecaser_of(const MosesOptions& options,
                                             const std::string& model,
                                             const std::string& name,
                                             const std::string& language) {
  if (options.truecase_model.empty())
    return nullptr;
  const std::string stored = name.empty() ? "the text model" : name;
  const nlohmann::json read = parse_json(model, stored);
  if (!read.is_object() || !read.contains(kTruecaser) || !read[kTruecaser].is_string()) {
    throw FormatError(fmt::format("{}: contains no truecasing model", stored),
                      "Give the checkpoint or data folder that phraseq wrote.");
  }
  return std::make_unique<MosesTruecaser>(
      read[kTruecaser].get<std::string>(),
      name.empty() ? file_for(options.truecase_model, language) : stored + ": " + kTruecaser,
      options.truecase_known);
}

std::unique_ptr<BpeCodes> codes_of(const TextPipelineOptions& options,
                                   const std::string& model,
                                   const std::string& name,
                                   const std::string& language) {
  if (options.bpe == BpeKind::kNone)
    return nullptr;
  const std::string stored = name.empty() ? "the text model" : name;
  const nlohmann::json read = parse_json(model, stored);
  if (!read.is_object() || !read.contains(kCodes) || !read[kCodes].is_string()) {
    throw FormatError(fmt::format("{}: not a model of the tokenizer moses or bpe", stored),
                      "Give the checkpoint or data folder that phraseq wrote.");
  }
  const bool is_new = name.empty();
  auto codes = std::make_unique<BpeCodes>(
      read[kCodes].get<std::string>(),
      is_new ? file_for(options.bpe_codes, language) : stored + ": " + kCodes);
  if (read.contains(kVocabulary) && read[kVocabulary].is_string()) {
    codes->restrict_to(
        read[kVocabulary].get<std::string>(),
        options.bpe_vocabulary_threshold,
        is_new ? file_for(options.bpe_vocabulary, language) : stored + ": " + kVocabulary);
  }
  return codes;
}

/// Joins subwords by removing "@@ ", as fairseq does.
std::string join_subwords(const std::vector<std::string>& symbols) {
  std::string joined;
  for (const std::string& symbol : symbols) {
    const bool continues = symbol.ends_with("@@");
    joined += continues ? symbol.substr(0, symbol.size() - 2) : symbol + ' ';
  }
  return std::string(strip_right(joined));
}

}  // namespace

void TextPipelineOptions::describe(OptionTable& table) {
  table.field("lowercase", lowercase, "Lowercase the text first (Unicode, root locale).");
  table.field("bpe",
              bpe,
              kBpeKindNames,
              "Byte-pair encoding after the tokenizer: subword_nmt or fastbpe, with --bpe-codes.");
  table
      .field("bpe-codes",
             bpe_codes,
             "Codes learned by `phraseq learn-bpe`, subword-nmt or fastBPE; {lang} in the name is "
             "replaced by the language.")
      .value_name("FILE");
  table
      .field("bpe-vocabulary",
             bpe_vocabulary,
             "File with lines SYMBOL COUNT, as written by `subword-nmt get-vocab`: no other "
             "subwords are made; {lang} in the name is replaced by the language.")
      .value_name("FILE");
  table
      .field("bpe-vocabulary-threshold",
             bpe_vocabulary_threshold,
             "Leave out symbols of --bpe-vocabulary with a lower count.")
      .at_least(0);
  table
      .field("bpe-dropout",
             bpe_dropout,
             "For sampling: probability with which a merge is left out (BPE dropout).")
      .in(0.0, 1.0);
}

std::vector<std::string> TextPipelineOptions::problems() const {
  std::vector<std::string> found;
  if (bpe == BpeKind::kNone && !bpe_codes.empty())
    found.emplace_back("--bpe-codes needs --bpe subword_nmt or --bpe fastbpe");
  if (bpe == BpeKind::kNone && !bpe_vocabulary.empty())
    found.emplace_back("--bpe-vocabulary needs --bpe");
  return found;
}

void MosesOptions::describe(OptionTable& table) {
  table.field("normalize-punctuation",
              normalize_punctuation,
              "Normalize quotation marks, dashes, spaces and digits first, as sacremoses does.");
  table.field("moses-no-dash-splits",
              no_dash_splits,
              "Do not split hyphens between letters or digits (a-b becomes a @-@ b).");
  table.field("moses-no-escape",
              no_escape,
              "Do not escape special characters (& becomes &amp;, ' becomes &apos; …).");
  table
      .field("truecase-model",
             truecase_model,
             "Truecase the tokens with a model of `phraseq truecase learn`, sacremoses or Moses, "
             "and capitalize the sentences of the output; {lang} in the name is replaced by the "
             "language.")
      .value_name("FILE");
  table.field("truecase-known",
              truecase_known,
              "Within a sentence, keep words in any spelling that the model knows, as the Moses "
              "script does; sacremoses does not.");
  TextPipelineOptions::describe(table);
}

std::vector<std::string> MosesOptions::problems() const {
  std::vector<std::string> found = TextPipelineOptions::problems();
  if (lowercase && !truecase_model.empty())
    found.emplace_back("--truecase-model and --lowercase cannot be combined");
  if (truecase_known && truecase_model.empty())
    found.emplace_back("--truecase-known needs --truecase-model");
  return found;
}

TextPipeline::TextPipeline(const TextPipelineOptions& options, const TokenizerSetup& setup)
    : TextPipeline(options,
                   setup,
                   setup.model.empty() ? read_model(options, {}, setup.language) : setup.model) {}

TextPipeline::TextPipeline(const TextPipelineOptions& options,
                           const TokenizerSetup& setup,
                           std::string model)
    : options_(options),
      model_(std::move(model)),
      codes_(
          codes_of(options, model_, setup.model.empty() ? "" : setup.model_name, setup.language)) {}

TextPipeline::TextPipeline(const MosesOptions& options, const TokenizerSetup& setup)
    : TextPipeline(static_cast<const TextPipelineOptions&>(options),
                   setup,
                   setup.model.empty() ? read_model(options, options.truecase_model, setup.language)
                                       : setup.model) {
  tokenizer_ = std::make_unique<MosesTokenizer>(
      setup.language, MosesSettings{!options.no_escape, !options.no_dash_splits});
  if (options.normalize_punctuation)
    normalizer_ = std::make_unique<MosesNormalizer>(setup.language);
  detokenizer_ = std::make_unique<MosesDetokenizer>(setup.language);
  truecaser_ =
      truecaser_of(options, model_, setup.model.empty() ? "" : setup.model_name, setup.language);
}

/// Processes a line and cuts its words into symbols. Words are separated only at blanks, so a
/// symbol may contain other white space.
template <class Cut>
std::vector<std::string> TextPipeline::symbols_of(std::string_view line, Cut cut) const {
  std::string text = normalizer_ ? normalizer_->normalize(line) : std::string(line);
  if (options_.lowercase)
    text = to_lowercase(text);
  if (tokenizer_)
    text = tokenizer_->tokenize(text);
  if (truecaser_)
    text = truecaser_->truecase(text);
  std::vector<std::string> symbols;
  for (const std::string_view word : split_blanks(text)) {
    append_symbols(cut(word), symbols);
  }
  return symbols;
}

std::vector<std::string> TextPipeline::encode(std::string_view line) const {
  return symbols_of(line, [&](std::string_view word) {
    return codes_ ? codes_->encode(word) : std::vector<std::string>{std::string(word)};
  });
}

std::vector<std::string> TextPipeline::sample(std::string_view line, uint64_t seed) const {
  uint64_t number = 0;
  return symbols_of(line, [&](std::string_view word) {
    return codes_ ? codes_->sample(word, options_.bpe_dropout, mix_seeds(seed, number++))
                  : std::vector<std::string>{std::string(word)};
  });
}

std::string TextPipeline::decode(const std::vector<std::string>& symbols) const {
  std::string text;
  if (codes_) {
    text = join_subwords(symbols);
  } else {
    for (const std::string& symbol : symbols) text += (text.empty() ? "" : " ") + symbol;
  }
  if (!detokenizer_)
    return text;
  if (truecaser_)
    text = detruecase(text);
  std::vector<std::string> words;
  for (const std::string_view word : split_whitespace(text)) words.emplace_back(word);
  return detokenizer_->detokenize(words);
}

}  // namespace phraseq
