#include "core/run/training/validation/validation_parts.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/criterion/named_criterion.h"
#include "core/data/joined/data_folders.h"
#include "core/data/multilingual/directions.h"
#include "core/data/named_task.h"
#include "core/distributed/agreement.h"
#include "core/run/training/computation.h"
#include "core/run/training/validation/validation_search.h"
#include "core/score/metrics/named_metric.h"
#include "core/score/tokenizers/bleu_tokenizer.h"
#include "core/search/named_decoder.h"

namespace phraseq {
namespace {

template <class Part>
std::vector<Part*> pointers_to(const std::vector<std::unique_ptr<Part>>& parts) {
  std::vector<Part*> pointers;
  for (const auto& part : parts) pointers.push_back(part.get());
  return pointers;
}

/// Lets validation compute as many batches at the same time as training computes shares of a batch.
void divide_work(const TrainRun& run,
                 const TranslationModel& translation_model,
                 ValidationParts& parts) {
  const WorkerSettings settings = thread_settings(run);
  for (int64_t worker = 1; worker < settings.workers; ++worker)
    parts.criterions.push_back(make_criterion(run, translation_model));
  for (const auto& validator : parts.validators)
    validator->work_with(pointers_to(parts.criterions), settings.threads);
}

/// True if BLEU chooses its tokenizer by the target language.
bool has_tokenizer_of_language(TrainRun& run) {
  const OptionField* const tokenizer = run.table.find("bleu-tokenize");
  return (run.metric.name == "bleu" || run.metric.name == "sacrebleu") && tokenizer != nullptr &&
         tokenizer->to_text().empty();
}

/// Warns if sacrebleu would tokenize other target languages differently: one metric scores all
/// language pairs of a model.
void warn_of_other_tokenizers(TrainRun& run, const Task& task) {
  const auto* const directions = interface_of<SeveralDirections>(task);
  if (directions == nullptr || !has_tokenizer_of_language(run))
    return;
  const std::string used = score::default_tokenizer(primary_language(task.target_language()));
  for (const std::string& language : directions->target_languages()) {
    const std::string own = score::default_tokenizer(primary_language(language));
    if (own == used)
      continue;
    return log_warning(fmt::format(
        "--eval-bleu computes BLEU of all language pairs with the tokenizer {} of the target "
        "language {}, but sacrebleu uses {} for {}. Choose one for all pairs with --bleu-tokenize, "
        "for example char",
        used,
        task.target_language(),
        own,
        language));
  }
}

void translate_in_validation(TrainRun& run,
                             const TranslationModel& translation_model,
                             ValidationParts& parts) {
  if (!translation_model.model->conventions().reads_source) {
    throw UsageError("--eval-bleu: a language model has nothing to translate",
                     "Leave it out: the best checkpoint is then that with the lowest loss.");
  }
  const ValidationSearch search =
      validation_search(run.loaded->registry, run.validation.eval_bleu_args);
  for (int64_t worker = 0; worker < thread_settings(run).workers; ++worker) {
    parts.decoders.push_back(std::make_unique<NamedDecoder>(
        search.decoder, DecoderSetup{translation_model.task->target_dictionary().size()}));
  }
  parts.metric = std::make_unique<NamedMetric>(
      run.metric, MetricSetup{primary_language(translation_model.task->target_language())});
  warn_of_other_tokenizers(run, *translation_model.task);
  for (const auto& validator : parts.validators)
    validator->translate_with(pointers_to(parts.decoders), *parts.metric);
}

void require_split(const TrainRun& run, const Task& task, const std::string& subset) {
  if (!task.has_split(subset)) {
    throw DataError(fmt::format("{} has no split '{}' to validate on",
                                data_folders(run.components.data).front(),
                                subset),
                    "Preprocess with --validpref, use another split with --valid-subset, or turn "
                    "validation off with --disable-validation.");
  }
}

ValidatorOptions validator_options(const TrainRun& run, const std::string& subset) {
  ValidatorOptions options;
  options.subset = subset;
  options.max_tokens = run.validation.max_tokens_valid > 0 ? run.validation.max_tokens_valid
                                                           : run.optimization.batches.max_tokens;
  options.max_sentences = run.optimization.batches.batch_size;
  options.translated_sentences = run.validation.eval_bleu_sentences;
  options.printed_samples = run.validation.eval_bleu_print_samples;
  options.remove_bpe = run.validation.eval_bleu_remove_bpe;
  return options;
}

}  // namespace

std::vector<Validator*> ValidationParts::further() const {
  std::vector<Validator*> all = pointers_to(validators);
  if (!all.empty())
    all.erase(all.begin());
  return all;
}

std::unique_ptr<Criterion> make_criterion(const TrainRun& run,
                                          const TranslationModel& translation_model) {
  return std::make_unique<NamedCriterion>(
      run.criterion, CriterionSetup{translation_model.task->target_dictionary().size()});
}

ValidationParts make_validation(TrainRun& run,
                                const TranslationModel& translation_model,
                                Criterion& criterion,
                                ProcessGroup& processes) {
  ValidationParts parts;
  if (run.validation.disable_validation)
    return parts;
  nlohmann::json data = nlohmann::json::object();
  for (const std::string& subset : run.validation.subsets()) {
    require_split(run, *translation_model.task, subset);
    parts.validators.push_back(std::make_unique<Validator>(
        translation_model, criterion, precision_of(run), validator_options(run, subset)));
    parts.validators.back()->share_with(processes);
    data[subset] = parts.validators.back()->corpus().fingerprint();
  }
  if (!processes.is_alone())
    require_agreement(processes, {{"data of validation", data}});
  divide_work(run, translation_model, parts);
  if (run.validation.eval_bleu)
    translate_in_validation(run, translation_model, parts);
  return parts;
}

}  // namespace phraseq
