#pragma once

#include <map>
#include <string>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {

/// The file `model.bin` of a CTranslate2 model, opened for reading (ct2_variables.h has its
/// layout). Aliases stand for the variables that they name. Views stay valid as long as the object.
class PHRASEQ_API Ct2File {
 public:
  /// Throws IoError, and FormatError for a file of a different kind or version or one that is
  /// truncated.
  explicit Ct2File(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::string& specification() const { return specification_; }
  const std::map<std::string, TensorView>& variables() const { return variables_; }

 private:
  [[noreturn]] void fail(std::string_view problem) const;
  uint64_t number(size_t bytes);
  std::string text();
  std::span<const std::byte> take(uint64_t size);
  void read_variable();
  void read_alias();

  MappedFile file_;
  size_t position_ = 0;
  std::string specification_;
  std::map<std::string, TensorView> variables_;
};

}  // namespace phraseq
