#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The variables of a CTranslate2 model and the file `model.bin` that holds them.
///
/// Layout (CTranslate2's python/ctranslate2/specs/model_spec.py, binary version 6), little-endian:
/// version u32, name of the specification, its revision u32, number of variables u32; for each
/// variable its name, rank u8, dimensions u32, type u8, number of bytes u32 and the bytes; number
/// of aliases u32; for each alias its name and that of the variable. A text is its length with a
/// final zero byte as u16, and the bytes. Variables are in the order of their names; one that
/// equals an earlier one is an alias.
class PHRASEQ_API Ct2Variables {
 public:
  enum class Type : uint8_t { kFloat32 = 0, kInt8 = 1, kInt16 = 2 };

  void add_int8(const std::string& name, int8_t value);
  void add_int16(const std::string& name, int16_t value);
  void add_floats(const std::string& name,
                  std::vector<int64_t> shape,
                  const std::vector<float>& values);

  /// The bytes of `model.bin`. Throws UsageError for an array of 4 GiB or more.
  std::string serialize(const std::string& specification, uint32_t revision) const;

 private:
  struct Variable {
    Type type = Type::kFloat32;
    std::vector<int64_t> shape;
    std::string bytes;
    friend auto operator<=>(const Variable&, const Variable&) = default;
  };
  static void put_variable(std::string& file, const std::string& name, const Variable& variable);

  std::map<std::string, Variable> variables_;
};

}  // namespace phraseq
