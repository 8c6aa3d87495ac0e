#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/embed/engine_setup.h"
#include "core/embed/translation_queue.h"

namespace phraseq {

/// The information about a model that a server gives its clients.
struct ServedModel {
  std::string name;
  std::string source;  ///< language codes
  std::string target;
  bool translates = true;  ///< false for a language model
  int64_t max_source_tokens = 0;
  int64_t max_nbest = 1;
  QueueFigures figures = {};
};

/// The models of a server, by name. All functions may be called from any thread.
class ModelPool {
 public:
  /// Loads "FILE" or "NAME=FILE". Throws UsageError for a repeated name.
  ModelPool(const EngineSetup& setup, std::vector<std::string> paths, int64_t max_queue);
  /// Finishes the accepted requests.
  ~ModelPool();

  std::vector<ServedModel> models() const;
  /// Throws like TranslationQueue::submit, and TranslationFailure for an unknown name.
  void submit(const std::string& name, TranslationRequest request, TranslationQueue::Done done);
  /// Loads all models again. Requests go to the old ones until all are loaded; the old ones finish
  /// the requests that they accepted. If it throws, everything stays as it was. Only one thread may
  /// call it.
  void reload();

 private:
  struct Loaded {
    ServedModel description;
    std::unique_ptr<TranslationQueue> queue;
    /// The queue from before the last reload, until it has finished.
    std::unique_ptr<TranslationQueue> ending = nullptr;
    QueueFigures earlier = {};  ///< of the queues that have finished
  };
  std::vector<Loaded> load_all() const;

  const EngineSetup& setup_;
  std::vector<std::string> paths_;
  int64_t max_queue_;
  mutable std::mutex mutex_;
  std::vector<Loaded> loaded_;
};

}  // namespace phraseq
