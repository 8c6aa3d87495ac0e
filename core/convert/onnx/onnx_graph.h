#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/api.h"
#include "core/io/protobuf/protobuf_message.h"

namespace phraseq {

/// Element types (TensorProto.DataType in onnx.proto3).
enum class OnnxType { kFloat = 1, kInt64 = 7 };

/// A computation in ONNX (https://onnx.ai/onnx/repo-docs/IR.html), operator set 17. Values are
/// referred to by their names; functions that add a node return the name of its output.
class PHRASEQ_API OnnxGraph {
 public:
  using Attribute = std::pair<const char*, std::variant<int64_t, float, std::vector<int64_t>>>;

  explicit OnnxGraph(std::string name) : name_(std::move(name)) {}

  /// A dimension is a number, or a name for one that is known when the graph is run.
  using Dimension = std::variant<int64_t, std::string>;
  std::string input(const std::string& name, OnnxType type, const std::vector<Dimension>& shape);
  void output(const std::string& name, OnnxType type, const std::vector<Dimension>& shape);

  std::string constant(const std::string& name,
                       const std::vector<int64_t>& shape,
                       const std::vector<float>& values);
  std::string constant(const std::vector<int64_t>& values);  ///< a list of whole numbers
  std::string scalar(float value);
  std::string scalar(int64_t value);

  std::string node(const char* operation,
                   const std::vector<std::string>& inputs,
                   const std::vector<Attribute>& attributes = {});
  /// Gives a value a specific name, so that it can be an output.
  void rename(const std::string& value, const std::string& name);

  /// The file. Throws UsageError if it would have 2 GiB or more, which protobuf does not support.
  std::string serialize() const;

 private:
  void add_value(uint32_t field,
                 const std::string& name,
                 OnnxType type,
                 const std::vector<Dimension>& shape);
  std::string add_constant(const std::string& name,
                           OnnxType type,
                           const std::vector<int64_t>& shape,
                           std::string_view bytes);
  std::string next_name(const char* kind);

  std::string name_;
  ProtobufMessage graph_;
  int64_t names_ = 0;
};

}  // namespace phraseq
