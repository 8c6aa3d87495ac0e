#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// A folder that Hugging Face's `save_pretrained` wrote.
class PHRASEQ_API HfFolder {
 public:
  explicit HfFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;
  /// Throws IoError for a missing file and FormatError for one that is not JSON.
  nlohmann::json json(const std::string& name) const;
  /// config.json's model_type; "" if it has none.
  std::string model_type() const;

  /// The tensors of model.safetensors, otherwise of pytorch_model.bin, or of the files that an
  /// index next to them lists; `owner` keeps the files.
  std::vector<TensorView> weights(ImportedModel& owner) const;
  /// The file that `weights` reads, or the index. Throws IoError when there is none.
  std::string weights_file() const;

 private:
  std::vector<std::string> weight_files() const;

  std::string path_;
};

}  // namespace phraseq
