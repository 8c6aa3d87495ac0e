#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/api.h"
#include "core/base/error.h"
#include "core/data/architecture_setup.h"
#include "core/data/batch.h"
#include "core/data/data_loader.h"
#include "core/data/example.h"
#include "core/data/sequence_conventions.h"
#include "core/options/option_table.h"
#include "core/plugin/registry.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// The part of a task that is saved in a checkpoint, so that translating needs no other files:
/// texts (dictionaries, language names) and blobs (subword models).
struct PHRASEQ_API TaskState {
  std::string place = "the checkpoint";  ///< for messages: its file
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> blobs;

  /// Throws FormatError if there is no such text: the state is that of another task.
  const std::string& text(const std::string& name) const;
  /// Where that text is, for messages.
  std::string place_of(const std::string& name) const { return place + ": task_texts: " + name; }
  /// Empty if there is no such blob.
  std::string blob(const std::string& name) const;
};

/// The arguments of a task: a data folder (training), or the state in a checkpoint (translating).
struct TaskSetup {
  const Registry* registry = nullptr;
  std::string data;  ///< data-bin or the folder of raw text; may be empty with a state
  const TaskState* state = nullptr;
  std::string phrase_table = {};  ///< of a task with a phrase memory: in place of the state's
  uint64_t seed = 1;
  /// The direction to translate in, of a task that has several (SeveralDirections); empty = not
  /// chosen.
  std::string source_language = {};
  std::string target_language = {};
  /// All options of the training by name, of which the data loader takes its own; null = defaults.
  const nlohmann::json* training_options = nullptr;
};

/// One side of a sentence pair.
enum class PairSide { kSource, kTarget };

/// Owns the vocabularies; turns text or indexed data into examples and examples into batches.
class PHRASEQ_API Task {
 public:
  static constexpr const char* kKind = "task";
  using Setup = TaskSetup;
  using Factory = std::function<std::unique_ptr<Task>(const Options&, const Setup&)>;

  virtual ~Task() = default;
  virtual const Dictionary& source_dictionary() const = 0;
  virtual const Dictionary& target_dictionary() const = 0;
  /// The languages as the names of the data's files spell them ("de").
  virtual const std::string& source_language() const = 0;
  virtual const std::string& target_language() const = 0;
  /// What the architecture learns of the task: the sizes of the dictionaries, and extras by name.
  virtual ArchitectureSetup architecture_setup() const = 0;

  /// Whether the data folder has this split; false without a data folder.
  virtual bool has_split(const std::string& split) const = 0;
  /// A split of the data folder. Its lengths count the <s> that the architecture's `conventions`
  /// add to sources. `training`: sampling of subwords and the like is on. Throws UsageError without
  /// a data folder, and what DataLoader::open throws.
  virtual std::unique_ptr<Corpus> open(const std::string& split,
                                       bool training,
                                       const SequenceConventions& conventions = {}) const = 0;
  /// Examples as a batch for an architecture with these `conventions`; by default collate_pairs().
  virtual Batch collate(const std::vector<Example>& examples,
                        const SequenceConventions& conventions = {}) const;

  /// Turns a raw line, which is tokenized here, into an example. `target` is given for scoring.
  virtual Example encode(const std::string& source,
                         const std::optional<std::string>& target = std::nullopt) const = 0;
  /// Converts a bracketed tree of such a line into the form of Example::extras[kTreeExtra]. `place`
  /// is where the tree comes from, for error messages. Throws UsageError if the task does not use
  /// trees.
  virtual std::vector<int64_t> encode_tree(const std::string& source,
                                           const std::string& tree,
                                           const TextPlace& place) const;
  /// Converts ids of a side into symbols separated by spaces, and into text to read; </s> and
  /// padding are omitted.
  virtual std::string symbols(std::span<const int64_t> ids, PairSide side) const = 0;
  virtual std::string text(std::span<const int64_t> ids, PairSide side) const = 0;

  /// What a checkpoint stores of the task; TaskSetup::state makes the same task from it.
  virtual TaskState save() const = 0;
};

}  // namespace phraseq
