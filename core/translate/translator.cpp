#include "core/translate/translator.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/data/multilingual/tag_extras.h"
#include "core/search/named_decoder.h"
#include "core/text/dictionary.h"
#include "core/translate/ensemble.h"
#include "core/translate/extras/constrained_line.h"
#include "core/translate/extras/finished_alignment.h"
#include "core/translate/extras/prompts.h"
#include "core/translate/length_batches.h"
#include "core/translate/scoring/score_targets.h"

namespace phraseq {
namespace {

/// Changes the columns of the attention weights from those of the source as the model reads it to
/// those of the example's source, which never has <s> and always has </s>.
void keep_source_columns(Translation& translation, const SequenceConventions& conventions) {
  for (Hypothesis& hypothesis : translation.hypotheses) {
    for (std::vector<float>& weights : hypothesis.attention) {
      if (conventions.source_has_bos)
        weights.erase(weights.begin());
      weights.resize(translation.example.source.size(), 0);
    }
  }
}

Hypothesis empty_hypothesis() {
  Hypothesis hypothesis;
  hypothesis.tokens = {kEos};
  hypothesis.token_scores = {0};
  hypothesis.slots = {-1};
  return hypothesis;
}

void require_length(const Example& example, int64_t most) {
  const auto length = static_cast<int64_t>(example.source.size());
  if (length <= most)
    return;
  throw DataError(
      fmt::format(
          "sentence {} has {} tokens, the model accepts at most {}", example.id + 1, length, most),
      "Split it, or use --truncate-source to translate only its beginning.");
}

}  // namespace

bool is_empty(const Example& example) {
  const auto tag = example.extras.find(kSourceTagExtra);
  const int64_t no_word = tag == example.extras.end() ? kEos : tag->second.at(0);
  return !example.extras.contains(kPromptExtra) &&
         std::all_of(example.source.begin(), example.source.end(), [&](int64_t id) {
           return is_control_symbol(id) || id == no_word;
         });
}

Translator::Translator(std::vector<TranslationModel> models,
                       const Selection& decoder,
                       const TranslationSettings& settings)
    : models_(std::move(models)), settings_(settings) {
  search_with(decoder, settings.need_attention);
}

void Translator::search_with(const Selection& decoder, bool need_attention) {
  settings_.need_attention = need_attention;
  decoders_.clear();
  for (int64_t worker = 0; worker < std::max<int64_t>(1, settings_.workers.workers); ++worker) {
    decoders_.push_back(
        std::make_unique<NamedDecoder>(decoder, DecoderSetup{task().target_dictionary().size()}));
  }
}

void Translator::fuse_with(TranslationModel language_model, double weight) {
  if (language_model.model->conventions().reads_source) {
    throw UsageError(fmt::format("--lm-path: {} is a translation model, not a language model",
                                 language_model.path),
                     "Train a language model with --task language_modeling --arch transformer_lm.");
  }
  if (language_model.task->target_dictionary() != task().target_dictionary()) {
    throw UsageError(
        fmt::format(
            "{} and {} have different dictionaries", models_.front().path, language_model.path),
        "Train the language model on data preprocessed with --srcdict, the target dictionary of "
        "the translation model.");
  }
  language_model_ = std::move(language_model);
  language_model_weight_ = weight;
}

int64_t Translator::max_source_tokens() const {
  int64_t limit = models_.front().max_source_tokens();
  for (const TranslationModel& model : models_) limit = std::min(limit, model.max_source_tokens());
  return limit;
}

int64_t Translator::max_target_tokens() const { return max_target_positions(models_); }

std::vector<Translation> Translator::translate(std::vector<Example> examples) {
  std::vector<Translation> all;
  std::vector<int64_t> places, lengths;  // of the sentences that have words
  for (auto& example : examples) {
    all.push_back({std::move(example), {}});
    const Example& added = all.back().example;
    if (is_empty(added)) {
      all.back().hypotheses = {empty_hypothesis()};
      continue;
    }
    require_length(added, max_source_tokens());
    places.push_back(static_cast<int64_t>(all.size()) - 1);
    lengths.push_back(static_cast<int64_t>(added.source.size()));
  }
  const auto batches = length_batches(
      lengths, settings_.max_tokens, settings_.max_sentences, settings_.workers.workers);
  run_jobs(
      static_cast<int64_t>(batches.size()), settings_.workers, [&](int64_t number, int64_t worker) {
        std::vector<int64_t> of_batch;
        for (const int64_t index : batches[static_cast<size_t>(number)])
          of_batch.push_back(places[static_cast<size_t>(index)]);
        translate_batch(all, of_batch, *decoders_[static_cast<size_t>(worker)]);
      });
  return all;
}

std::vector<Translation> Translator::score(std::vector<Example> examples) const {
  return score_targets(models_, std::move(examples), settings_);
}

void Translator::translate_batch(std::vector<Translation>& all,
                                 const std::vector<int64_t>& places,
                                 Decoder& decoder) const {
  const WorkSpan span(Work::kSearch);
  std::vector<Example> examples;
  for (const int64_t place : places) examples.push_back(all[static_cast<size_t>(place)].example);
  const Batch batch = collate_for(models_, examples);
  auto found = decoder.decode(request_for(examples, batch));
  if (settings_.need_attention && any_aligns_translations(models_))
    align_finished(models_, examples, settings_.precision, found);
  for (size_t i = 0; i < places.size(); ++i) {
    all[static_cast<size_t>(places[i])].hypotheses = std::move(found[i]);
    keep_source_columns(all[static_cast<size_t>(places[i])], models_.front().model->conventions());
  }
}

DecodingRequest Translator::request_for(const std::vector<Example>& examples,
                                        const Batch& batch) const {
  DecodingRequest request;
  for (const Example& example : examples) {
    request.lexical_constraints.push_back(constraints_of(example));
    if (settings_.shortlist)
      request.candidates.push_back(settings_.shortlist->candidates(example.source));
  }
  request.prompts = prompts_of(examples);
  request.vocabulary = models_.front().target_vocabulary;
  for (const TranslationModel& model : models_) {
    request.models.push_back(model.model.get());
    request.parameters.push_back(model.parameters.get());
    request.architectures.push_back(model.architecture_selection.component);
  }
  if (language_model_) {
    request.language_model = FusionModel{language_model_->model.get(),
                                         language_model_->parameters.get(),
                                         language_model_->architecture_selection.component,
                                         language_model_weight_};
  }
  request.batch = &batch;
  request.precision = settings_.precision;
  request.need_attention = settings_.need_attention;
  request.need_scores = settings_.need_scores;
  request.seed = settings_.seed;
  return request;
}

}  // namespace phraseq
