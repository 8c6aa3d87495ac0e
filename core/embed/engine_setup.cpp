#include "core/embed/engine_setup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/source_trees.h"
#include "core/embed/engine_parts.h"
#include "core/embed/translator_engine.h"
#include "core/run/batches/search_batches.h"
#include "core/run/loaded_models.h"

namespace phraseq {
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

}  // namespace

EngineSetup::EngineSetup(std::span<const std::string> arguments) : parts_(new EngineParts) {
  parts_->loaded = load_plugins_for(arguments);
  parts_->decoder = parts_->loaded->registry.select("decoder", parts_->search.choose(arguments));
}

EngineSetup::~EngineSetup() = default;

void EngineSetup::describe(OptionTable& table) {
  EngineParts& parts = *parts_;
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
  return make_translator_engine(
      *parts_, path, translates, Translator(std::move(models), parts_->decoder, settings));
}

}  // namespace phraseq
