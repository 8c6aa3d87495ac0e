#include "core/convert/onnx/onnx_graph.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

// Numbers of fields in onnx.proto3.
constexpr int64_t kIrVersion = 8, kOperatorSet = 17;
enum ModelField : uint32_t { kIr = 1, kProducer = 2, kProducerVersion = 3, kGraph = 7, kOpset = 8 };
enum GraphField : uint32_t {
  kNode = 1,
  kGraphName = 2,
  kInitializer = 5,
  kGraphInput = 11,
  kGraphOutput = 12
};
enum NodeField : uint32_t { kNodeInput = 1, kNodeOutput = 2, kOpType = 4, kAttribute = 5 };
enum AttributeField : uint32_t {
  kAttributeName = 1,
  kAttributeFloat = 2,
  kAttributeInt = 3,
  kAttributeInts = 8,
  kAttributeType = 20
};
enum AttributeKind : int64_t { kKindFloat = 1, kKindInt = 2, kKindInts = 7 };
enum TensorField : uint32_t { kDims = 1, kDataType = 2, kTensorName = 8, kRawData = 9 };

template <class Value>
std::string_view bytes_of_values(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

ProtobufMessage attribute_message(const OnnxGraph::Attribute& attribute) {
  ProtobufMessage message;
  message.add_bytes(kAttributeName, attribute.first);
  if (const auto* whole = std::get_if<int64_t>(&attribute.second)) {
    message.add_number(kAttributeInt, *whole);
    message.add_number(kAttributeType, kKindInt);
  } else if (const auto* real = std::get_if<float>(&attribute.second)) {
    message.add_float(kAttributeFloat, *real);
    message.add_number(kAttributeType, kKindFloat);
  } else {
    for (const int64_t value : std::get<std::vector<int64_t>>(attribute.second))
      message.add_number(kAttributeInts, value);
    message.add_number(kAttributeType, kKindInts);
  }
  return message;
}

/// TypeProto with a tensor of a type and shape.
ProtobufMessage type_message(OnnxType type, const std::vector<OnnxGraph::Dimension>& shape) {
  ProtobufMessage dimensions, tensor, message;
  for (const auto& size : shape) {
    ProtobufMessage dimension;
    if (const auto* number = std::get_if<int64_t>(&size)) {
      dimension.add_number(1, *number);
    } else {
      dimension.add_bytes(2, std::get<std::string>(size));
    }
    dimensions.add_message(1, dimension);
  }
  tensor.add_number(1, static_cast<int64_t>(type));
  tensor.add_message(2, dimensions);
  message.add_message(1, tensor);
  return message;
}

}  // namespace

std::string OnnxGraph::next_name(const char* kind) { return fmt::format("{}_{}", kind, ++names_); }

void OnnxGraph::add_value(uint32_t field,
                          const std::string& name,
                          OnnxType type,
                          const std::vector<Dimension>& shape) {
  ProtobufMessage value;
  value.add_bytes(1, name);
  value.add_message(2, type_message(type, shape));
  graph_.add_message(field, value);
}

std::string OnnxGraph::input(const std::string& name,
                             OnnxType type,
                             const std::vector<Dimension>& shape) {
  add_value(kGraphInput, name, type, shape);
  return name;
}

void OnnxGraph::output(const std::string& name,
                       OnnxType type,
                       const std::vector<Dimension>& shape) {
  add_value(kGraphOutput, name, type, shape);
}

std::string OnnxGraph::add_constant(const std::string& name,
                                    OnnxType type,
                                    const std::vector<int64_t>& shape,
                                    std::string_view bytes) {
  ProtobufMessage tensor;
  for (const int64_t size : shape) tensor.add_number(kDims, size);
  tensor.add_number(kDataType, static_cast<int64_t>(type));
  tensor.add_bytes(kTensorName, name);
  tensor.add_bytes(kRawData, bytes);
  graph_.add_message(kInitializer, tensor);
  return name;
}

std::string OnnxGraph::constant(const std::string& name,
                                const std::vector<int64_t>& shape,
                                const std::vector<float>& values) {
  return add_constant(name, OnnxType::kFloat, shape, bytes_of_values(values));
}

std::string OnnxGraph::constant(const std::vector<int64_t>& values) {
  return add_constant(next_name("list"),
                      OnnxType::kInt64,
                      {static_cast<int64_t>(values.size())},
                      bytes_of_values(values));
}

std::string OnnxGraph::scalar(float value) {
  return add_constant(
      next_name("number"), OnnxType::kFloat, {}, bytes_of_values(std::vector<float>{value}));
}

std::string OnnxGraph::scalar(int64_t value) {
  return add_constant(
      next_name("number"), OnnxType::kInt64, {}, bytes_of_values(std::vector<int64_t>{value}));
}

std::string OnnxGraph::node(const char* operation,
                            const std::vector<std::string>& inputs,
                            const std::vector<Attribute>& attributes) {
  ProtobufMessage node;
  const std::string result = next_name(operation);
  for (const std::string& name : inputs) node.add_bytes(kNodeInput, name);
  node.add_bytes(kNodeOutput, result);
  node.add_bytes(kOpType, operation);
  for (const Attribute& attribute : attributes)
    node.add_message(kAttribute, attribute_message(attribute));
  graph_.add_message(kNode, node);
  return result;
}

void OnnxGraph::rename(const std::string& value, const std::string& name) {
  ProtobufMessage node;
  node.add_bytes(kNodeInput, value);
  node.add_bytes(kNodeOutput, name);
  node.add_bytes(kOpType, "Identity");
  graph_.add_message(kNode, node);
}

std::string OnnxGraph::serialize() const {
  if (graph_.bytes().size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()) - 4096)
    throw UsageError(
        fmt::format("the graph '{}' has 2 GiB or more, which a file of ONNX cannot "
                    "hold",
                    name_));
  ProtobufMessage opset, graph = graph_, model;
  graph.add_bytes(kGraphName, name_);
  opset.add_bytes(1, "");
  opset.add_number(2, kOperatorSet);
  model.add_number(kIr, kIrVersion);
  model.add_bytes(kProducer, "phraseq");
  model.add_bytes(kProducerVersion, PHRASEQ_VERSION);
  model.add_message(kGraph, graph);
  model.add_message(kOpset, opset);
  return model.bytes();
}

}  // namespace phraseq
