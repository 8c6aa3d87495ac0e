#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/export_model.h"
#include "core/io/folders/staging_folder.h"

namespace phraseq {

/// The folder of an exported model: written under a temporary name and moved into place when it is
/// complete.
class PHRASEQ_API ExportFolder {
 public:
  /// Throws UsageError when the folder exists and is not empty.
  explicit ExportFolder(const std::string& folder);

  std::string path(const std::string& name) const { return staging_.path() + "/" + name; }
  void write(const std::string& name, std::string_view bytes) const;
  /// As Python's json.dump(…, indent=2) writes it, with a line feed at the end.
  void write_json(const std::string& name, const nlohmann::json& value) const;
  /// The SentencePiece models, source.spm and target.spm; nothing for text that is split at spaces,
  /// and a warning for any other tokenizer, which no format supports.
  void write_tokenizers(const ExportModel& model) const;
  /// Moves the files into place, `last` after the others.
  void commit(const std::string& last) { staging_.commit(last); }

 private:
  StagingFolder staging_;
};

}  // namespace phraseq
