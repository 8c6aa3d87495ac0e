#include "core/translate/ensemble.h"

#include <algorithm>
#include <map>
#include <string>

#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

void require_same_conventions(const std::vector<TranslationModel>& models) {
  const SequenceConventions first = models.front().model->conventions();
  for (const TranslationModel& model : models) {
    const SequenceConventions other = model.model->conventions();
    if (other.start_token() != first.start_token()) {
      throw UsageError(fmt::format("{} and {} start their translations with different tokens",
                                   models.front().path,
                                   model.path),
                       "An ensemble needs models trained with one --start-token.");
    }
    if (other.source_has_bos == first.source_has_bos &&
        other.source_has_eos == first.source_has_eos) {
      continue;
    }
    throw UsageError(
        fmt::format("{} and {} read different sources: one with <s> or </s>, one without",
                    models.front().path,
                    model.path),
        "An ensemble needs models trained with one --source-bos and --source-eos.");
  }
}

bool is_equal(const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); }
bool is_equal(const std::vector<int64_t>& a, const std::vector<int64_t>& b) { return a == b; }

/// Adds the extras that `model` needs in a batch to those of the first model.
template <typename Values>
void add_extras(std::map<std::string, Values>& all,
                const std::map<std::string, Values>& own,
                const TranslationModel& first,
                const TranslationModel& model) {
  for (const auto& [name, values] : own) {
    const auto [place, is_new] = all.emplace(name, values);
    if (!is_new && !is_equal(place->second, values)) {
      throw UsageError(
          fmt::format("--path: {} and {} need different '{}' of the same sentences",
                      first.path,
                      model.path,
                      name),
          "The models of an ensemble must prepare their batches with the same options.");
    }
  }
}

}  // namespace

void require_same_dictionaries(const TranslationModel& first, const TranslationModel& other) {
  if (other.task->source_dictionary() == first.task->source_dictionary() &&
      other.task->target_dictionary() == first.task->target_dictionary())
    return;
  throw UsageError(fmt::format("{} and {} have different dictionaries", first.path, other.path),
                   "The models of an ensemble must be trained on the same preprocessed data.");
}

int64_t max_target_positions(const std::vector<TranslationModel>& models) {
  int64_t limit = models.front().model->max_target_positions();
  for (const TranslationModel& model : models)
    limit = std::min(limit, model.model->max_target_positions());
  return limit;
}

Batch collate_for(const std::vector<TranslationModel>& models,
                  const std::vector<Example>& examples) {
  require_same_conventions(models);
  Batch batch = models.front().collate(examples);
  for (size_t i = 1; i < models.size(); ++i) {
    const Batch own = models[i].collate(examples);
    add_extras(batch.extras, own.extras, models.front(), models[i]);
    add_extras(batch.host_extras, own.host_extras, models.front(), models[i]);
  }
  return batch.to(models.front().parameters->values().device());
}

}  // namespace phraseq
