#pragma once

#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/train/tensorboard/event_file.h"

namespace phraseq::tensorboard {

/// The scalars of a record of metrics.jsonl with fairseq's names and units: losses in bits per
/// token, fractions in percent.
PHRASEQ_API Scalars scalars_of(const nlohmann::json& record);

/// The files of `--tensorboard-logdir DIR`, as fairseq writes them: DIR/train_inner (every
/// --log-interval updates), DIR/train (every epoch) and DIR/SUBSET (validations). Every process
/// adds its own files. A full disk causes a single warning; training continues.
class PHRASEQ_API TensorBoardLog {
 public:
  /// Throws IoError if DIR cannot be created.
  explicit TensorBoardLog(std::string folder);

  /// Adds a record of metrics.jsonl, which includes its "event".
  void record(const nlohmann::json& fields);

 private:
  void add(const std::string& part, const nlohmann::json& fields);

  std::string folder_;
  std::map<std::string, std::unique_ptr<EventFile>> files_;  ///< by name, such as "train_inner"
  int64_t purge_step_ = -1;  ///< after a resume: the first update that is repeated
  bool warned_ = false;
};

}  // namespace phraseq::tensorboard
