#include "core/embed/engine_setup.h"

#include <algorithm>
#include <span>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/data/source_trees.h"
#include "core/nn/packed/packed_weights.h"
#include "core/options/batch_options.h"
#include "core/run/batches/search_batches.h"
#include "core/run/loaded_models.h"
#include "core/run/options/decoder_choice.h"
#include "core/run/options/model_options.h"
#include "core/run/options/shortlist_options.h"
#include "core/run/run_components.h"
#include "core/search/search_options.h"
#include "core/search/sentence_input.h"
#include "core/text/dictionary.h"
#include "core/translate/hard_alignment.h"
#include "core/translate/hypothesis_text.h"
#include "core/translate/post_process.h"
#include "core/translate/translator.h"

namespace phraseq {

struct EngineSetup::Parts {
  std::unique_ptr<LoadedPlugins> loaded;
  ModelOptions model;
  ShortlistOptions shortlist;
  BatchOptions batches;
  PostProcess remove_bpe = PostProcess::kNotGiven;
  DecoderChoice search;
  int64_t seed = 1;
  Selection decoder;
  Selection prefix_decoder;  ///< the same, but forces all target tokens; no component = it cannot
  int64_t max_nbest = 1;
  WorkerSettings workers;
};

namespace {

constexpr const char* kAnyPrefix = "1000000";

int64_t number_in(OptionTable& table, const char* name, int64_t otherwise) {
  const OptionField* field = table.find(name);
  return field == nullptr ? otherwise : std::stoll(field->to_text());
}

/// The same component with the same values.
Selection copy_of(const Registry& registry, const Selection& selection) {
  Selection copy = registry.select("decoder", selection.name);
  OptionTable from = described(selection), to = described(copy);
  for (const OptionField& field : from.fields())
    to.find(field.name)->from_text(field.to_text(), field.origin);
  return copy;
}

void require_no_trees(const TranslationModel& model) {
  const TreeUse* use = tree_use_of(*model.architecture_selection.options);
  if (use == nullptr)
    return;
  throw UsageError(
      fmt::format("{}: the model's {} needs the parse trees of the sentences, which "
                  "cannot be given here",
                  model.path,
                  use->asked_by()),
      fmt::format("Translate with phraseq generate --trees FILE; {} does not need them.",
                  option_without_trees(*use, /*trained=*/true)));
}

std::vector<std::string> words_of(const std::string& symbols) {
  const auto words = filled_parts(symbols, " ");
  return {words.begin(), words.end()};
}

/// Frees the packed weights of models that are gone, at its end.
struct PackedWeightsRelease {
  ~PackedWeightsRelease() { nn::release_packed_weights(); }
};

class TranslatorEngine final : public TranslationEngine {
 public:
  TranslatorEngine(const EngineSetup::Parts& setup,
                   std::string path,
                   bool translates,
                   Translator translator)
      : setup_(setup),
        path_(std::move(path)),
        translates_(translates),
        translator_(std::move(translator)) {}

  const std::string& path() const override { return path_; }
  const std::string& source_language() const override {
    return translator_.task().source_language();
  }
  const std::string& target_language() const override {
    return translator_.task().target_language();
  }
  bool translates() const override { return translates_; }
  int64_t max_source_tokens() const override { return translator_.max_source_tokens(); }
  int64_t max_nbest() const override { return setup_.max_nbest; }
  int64_t round_tokens() const override {
    const int64_t tokens = setup_.batches.max_tokens;
    const int64_t automatic = automatic_source_tokens(setup_.model.device.chosen());
    return (tokens > 0 ? tokens : automatic) * setup_.workers.workers;
  }
  void prepare_thread() const override {
    at::set_num_threads(static_cast<int>(setup_.workers.threads));
  }

  Example encode(const std::string& sentence,
                 const std::string& prefix,
                 int64_t id) const override {
    if (!translates_ && !prefix.empty())
      throw DataError("a language model continues its text: put the prefix at the text's end");
    Example example = prefix.empty() ? translator_.task().encode(sentence)
                                     : translator_.task().encode(sentence, prefix);
    example.id = id;
    std::erase_if(example.target, is_control_symbol);
    if (!example.target.empty())
      check_prefix(example, prefix);
    return example;
  }

  std::vector<api::Sentence> translate(std::vector<EngineSentence> sentences,
                                       bool alignment) override {
    const bool prefix = !sentences.empty() && !sentences.front().example.target.empty();
    translator_.search_with(prefix ? setup_.prefix_decoder : setup_.decoder, alignment);
    std::vector<Example> examples;
    for (EngineSentence& sentence : sentences) examples.push_back(std::move(sentence.example));
    const auto translations = translator_.translate(std::move(examples));
    std::vector<api::Sentence> results;
    for (size_t i = 0; i < translations.size(); ++i)
      results.push_back(result_of(translations[i], std::move(sentences[i])));
    return results;
  }

 private:
  void check_prefix(const Example& example, const std::string& prefix) const {
    if (setup_.prefix_decoder.component == nullptr)
      throw DataError(fmt::format("the decoder {} cannot force a prefix", setup_.decoder.name));
    if (std::find(example.target.begin(), example.target.end(), kUnk) != example.target.end())
      throw DataError(
          fmt::format("'{}' contains text that the model's vocabulary cannot represent", prefix));
    const auto tokens = static_cast<int64_t>(example.target.size());
    const int64_t most = max_tokens(example);
    if (tokens > most) {
      const int64_t tags = example.extras.contains(kPrefixExtra) ? 1 : 0;  // not the user's
      throw DataError(
          fmt::format("the prefix has {} tokens, but a translation of this sentence can have at "
                      "most {}",
                      tokens - tags,
                      most - tags));
    }
  }

  /// The most tokens of a translation, without </s>, by the decoder's options.
  int64_t max_tokens(const Example& example) const {
    const int64_t limit = translator_.max_target_tokens();
    const auto* search = dynamic_cast<const SearchOptions*>(setup_.decoder.options.get());
    if (search == nullptr)
      return limit - 1;
    if (search->constraints.match_source_len)
      return count_text_tokens(example.source);
    const auto source = translator_.model().model->conventions().source_of(example);
    return search->length_cap.max_length(static_cast<int64_t>(source.size()), limit);
  }

  /// Language tokens are not among the returned tokens.
  std::vector<std::pair<int64_t, int64_t>> alignment_of(const Example& example,
                                                        const Hypothesis& found) const {
    auto pairs = hard_alignment(found, example.source);
    if (!example.extras.contains(kPrefixExtra))
      return pairs;
    std::vector<int64_t> places;  // among the tokens that are returned; -1: not returned
    int64_t returned = 0;
    for (const int64_t& id : found.tokens) {
      const bool is_hidden =
          translator_.task().symbols(std::span(&id, 1), PairSide::kTarget).empty();
      if (!is_control_symbol(id))
        places.push_back(is_hidden ? -1 : returned++);
    }
    for (auto& pair : pairs) pair.second = places[static_cast<size_t>(pair.second)];
    std::erase_if(pairs, [](const auto& pair) { return pair.second < 0; });
    return pairs;
  }

  api::Hypothesis hypothesis_of(const Translation& translation, const Hypothesis& found) const {
    const Task& task = translator_.task();
    const Example& example = translation.example;
    api::Hypothesis hypothesis;
    hypothesis.text = hypothesis_text(task, example, found, setup_.remove_bpe);
    hypothesis.score = found.score;
    hypothesis.log_probability = found.log_probability;
    hypothesis.tokens = words_of(hypothesis_symbols(task, example, found));
    hypothesis.alignment = alignment_of(example, found);
    return hypothesis;
  }

  api::Sentence result_of(const Translation& translation, EngineSentence sentence) const {
    api::Sentence result;
    result.source = std::move(sentence.source);
    result.source_tokens =
        words_of(translator_.task().symbols(translation.example.source, PairSide::kSource));
    for (const Hypothesis& found : translation.hypotheses) {
      if (static_cast<int64_t>(result.hypotheses.size()) == sentence.nbest)
        break;
      result.hypotheses.push_back(hypothesis_of(translation, found));
    }
    return result;
  }

  const EngineSetup::Parts& setup_;
  std::string path_;
  bool translates_;
  PackedWeightsRelease release_;  ///< before the translator, so that it acts after its end
  Translator translator_;
};

}  // namespace

EngineSetup::EngineSetup(std::span<const std::string> arguments) : parts_(new Parts) {
  parts_->loaded = load_plugins_for(arguments);
  parts_->decoder = parts_->loaded->registry.select("decoder", parts_->search.choose(arguments));
}

EngineSetup::~EngineSetup() = default;

void EngineSetup::describe(OptionTable& table) {
  Parts& parts = *parts_;
  table.section("Translation");
  parts.search.describe(table);
  describe_search_batches(table, parts.batches);
  table.field("seed", parts.seed, "Random seed.");
  table
      .field("remove-bpe",
             parts.remove_bpe,
             kPostProcessNames,
             "Join subwords in text, if the checkpoint has no subword model.")
      .alias("post-process")
      .bare_value("subword_nmt");
  parts.model.describe(table);
  std::erase_if(table.fields(), [](const OptionField& field) { return field.name == "path"; });
  parts.shortlist.describe(table);
  table.section(fmt::format("decoder {}", parts.decoder.name));
  add_described(table, parts.decoder);
  if (OptionField* nbest = table.find("nbest")) {
    nbest->help =
        "Maximum number of hypotheses that a request may ask for; 1 = as many as the beam has.";
  }
}

std::vector<std::string> EngineSetup::problems() const {
  std::vector<std::string> problems = problems_of(parts_->decoder);
  OptionTable table = described(parts_->decoder);
  if (number_in(table, "prefix-size", 0) > 0) {
    problems.emplace_back(
        "--prefix-size takes prefixes from references, and there are none here: give the prefix "
        "with each request");
  }
  const OptionField* constraints = table.find("constraints");
  const std::string order = constraints == nullptr ? "" : constraints->to_text();
  if (order == "ordered" || order == "unordered") {
    problems.emplace_back(
        "--constraints takes phrases from lines of text with TABs, and there are none here: use "
        "phraseq generate");
  }
  return problems;
}

void EngineSetup::finish() {
  OptionTable table = described(parts_->decoder);
  OptionField* nbest = table.find("nbest");
  const int64_t beam = std::max<int64_t>(1, number_in(table, "beam", 1));  // 0 = sampling
  if (nbest != nullptr && number_in(table, "nbest", 1) == 1)
    nbest->from_text(std::to_string(beam), OptionOrigin::kDefault);
  parts_->max_nbest = number_in(table, "nbest", 1);
  if (table.find("prefix-size") != nullptr) {
    parts_->prefix_decoder = copy_of(parts_->loaded->registry, parts_->decoder);
    OptionTable forcing = described(parts_->prefix_decoder);
    forcing.find("prefix-size")->from_text(kAnyPrefix, OptionOrigin::kDefault);
  }
  parts_->workers = parts_->model.worker_settings();
}

std::unique_ptr<TranslationEngine> EngineSetup::load(const std::string& path) const {
  ModelOptions options = parts_->model;
  options.path = path;
  auto models = load_models(parts_->loaded->registry, options, {});
  for (const TranslationModel& model : models) require_no_trees(model);
  TranslationSettings settings;
  settings.precision = options.precision;
  settings.seed = static_cast<uint64_t>(parts_->seed);
  settings.max_sentences = parts_->batches.batch_size;
  settings.max_tokens = source_tokens_of_batch(parts_->batches, options.device.chosen());
  settings.workers = parts_->workers;
  const Task& task = *models.front().task;
  settings.shortlist = parts_->shortlist.read(task.source_dictionary(), task.target_dictionary());
  const bool translates = models.front().model->conventions().reads_source;
  return std::make_unique<TranslatorEngine>(
      *parts_, path, translates, Translator(std::move(models), parts_->decoder, settings));
}

}  // namespace phraseq
