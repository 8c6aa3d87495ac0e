#include "core/serve/model_pool.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/path_list.h"
#include "core/embed/translation_failure.h"

namespace phraseq {
namespace {

/// The parts of "NAME=FILE"; the name is empty if none is given or if the whole text is an existing
/// path.
std::pair<std::string, std::string> name_and_file(const std::string& path) {
  std::error_code unknown;
  const size_t sign = path.find('=');
  const bool named =
      sign != std::string::npos && path.find('/') > sign && !std::filesystem::exists(path, unknown);
  return named ? std::pair(path.substr(0, sign), path.substr(sign + 1))
               : std::pair(std::string(), path);
}

/// "lm" of "models/lm", "models/lm.safetensors" and, for an ensemble, of its first file.
std::string stem_of(const std::string& file) {
  const std::filesystem::path first(listed_paths(file).front());
  const auto name = first.has_filename() ? first.filename() : first.parent_path().filename();
  return name.stem().string();
}

/// The name of a model for which the user gave none.
std::string default_name(const ServedModel& model, const std::string& file) {
  if (model.translates)
    return fmt::format("{}-{}", model.source, model.target);
  return model.source.empty() ? stem_of(file) : model.source;
}

ServedModel description_of(const std::string& name,
                           const std::string& file,
                           const TranslationEngine& engine) {
  ServedModel model;
  model.source = engine.source_language();
  model.target = engine.target_language();
  model.translates = engine.translates();
  model.name = name.empty() ? default_name(model, file) : name;
  model.max_source_tokens = engine.max_source_tokens();
  model.max_nbest = engine.max_nbest();
  return model;
}

QueueFigures sum_of(QueueFigures a, const QueueFigures& b) {
  a.waiting += b.waiting;
  a.rounds += b.rounds;
  a.sentences += b.sentences;
  a.source_tokens += b.source_tokens;
  a.seconds += b.seconds;
  return a;
}

}  // namespace

ModelPool::ModelPool(const EngineSetup& setup, std::vector<std::string> paths, int64_t max_queue)
    : setup_(setup), paths_(std::move(paths)), max_queue_(max_queue) {
  loaded_ = load_all();
}

ModelPool::~ModelPool() = default;

std::vector<ModelPool::Loaded> ModelPool::load_all() const {
  std::vector<Loaded> all;
  for (const std::string& path : paths_) {
    const auto [name, file] = name_and_file(path);
    auto engine = setup_.load(file);
    Loaded loaded;
    loaded.description = description_of(name, file, *engine);
    for (const Loaded& other : all) {
      if (other.description.name == loaded.description.name)
        throw UsageError(
            fmt::format("--path: two models have the name '{}'", other.description.name),
            "Give one of them another name with --path NAME=FILE.");
    }
    loaded.queue = std::make_unique<TranslationQueue>(std::move(engine), max_queue_);
    log_info(fmt::format("Loaded {} from {}", loaded.description.name, file));
    all.push_back(std::move(loaded));
  }
  return all;
}

std::vector<ServedModel> ModelPool::models() const {
  const std::lock_guard lock(mutex_);
  std::vector<ServedModel> models;
  for (const Loaded& loaded : loaded_) {
    models.push_back(loaded.description);
    models.back().figures = sum_of(loaded.earlier, loaded.queue->figures());
    if (loaded.ending != nullptr)
      models.back().figures = sum_of(models.back().figures, loaded.ending->figures());
  }
  return models;
}

void ModelPool::submit(const std::string& name,
                       TranslationRequest request,
                       TranslationQueue::Done done) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(loaded_.begin(), loaded_.end(), [&name](const Loaded& loaded) {
    return loaded.description.name == name;
  });
  if (found == loaded_.end())
    throw TranslationFailure(
        FailureReason::kBadInput, "model", fmt::format("there is no model '{}'", name));
  found->queue->submit(std::move(request), std::move(done));
}

void ModelPool::reload() {
  std::vector<Loaded> all = load_all();
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].earlier = loaded_[i].earlier;
      all[i].ending = std::move(loaded_[i].queue);
    }
    all.swap(loaded_);
  }
  for (Loaded& loaded : loaded_) {
    loaded.ending->finish();
    std::unique_ptr<TranslationQueue> ended;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    loaded.earlier = sum_of(loaded.earlier, loaded.ending->figures());
    ended = std::move(loaded.ending);
  }
}

}  // namespace phraseq
