// tests/interop/check_onnx.py runs the graphs with ONNX Runtime.

#include "core/convert/onnx/onnx_export.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/convert/hf/marian_mt_import.h"
#include "core/convert/onnx/onnx_graph.h"
#include "core/io/protobuf/protobuf_message.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/file_content.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ProtobufMessage, WritesTheExamplesOfTheSpecification) {
  // https://protobuf.dev/programming-guides/encoding
  ProtobufMessage number, text, nested;
  number.add_number(1, 150);
  EXPECT_EQ(number.bytes(), "\x08\x96\x01");
  text.add_bytes(2, "testing");
  EXPECT_EQ(text.bytes(), "\x12\x07testing");
  nested.add_message(3, number);
  EXPECT_EQ(nested.bytes(), "\x1a\x03\x08\x96\x01");
  ProtobufMessage negative, real;
  negative.add_number(1, -2);
  EXPECT_EQ(negative.bytes(), "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  real.add_float(2, 1.5F);
  EXPECT_EQ(real.bytes(), std::string("\x15\x00\x00\xc0\x3f", 5));
}

TEST(OnnxGraph, WritesNodesAndTheVersionsOfItsFormat) {
  OnnxGraph graph("g");
  const std::string x = graph.input("x", OnnxType::kFloat, {"n", int64_t{2}});
  graph.rename(graph.node("Softmax", {x}, {{"axis", int64_t{-1}}}), "y");
  graph.output("y", OnnxType::kFloat, {"n", int64_t{2}});
  const std::string file = graph.serialize();
  EXPECT_THAT(file, StartsWith("\x08\x08\x12\x07phraseq"));  // IR version 8
  EXPECT_THAT(file, HasSubstr("\x0a\x01x\x12\x09Softmax_1\x22\x07Softmax\x2a"));
  EXPECT_THAT(file, HasSubstr("\x0a\x09Softmax_1\x12\x01y\x22\x08Identity"));
  const std::string type("\x08\x01\x12\x0b\x0a\x03\x12\x01n\x0a\x02\x08\x02", 13);
  EXPECT_THAT(file, HasSubstr(type.substr(4)));  // dimensions n and 2
  EXPECT_THAT(file, ::testing::EndsWith(std::string("\x42\x04\x0a\x00\x10\x11", 6)));
}

TEST(OnnxExport, WritesAFolderAndNamesWhatCannotBeExported) {
  const TemporaryFolder folder;
  ImportedModel model =
      import_marian_mt({.weights = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian"});
  model.write(folder.file("m.safetensors"));
  export_to_onnx(ExportModel::open(folder.file("m.safetensors")), folder.file("out"));
  for (const char* name : {"encoder.onnx", "decoder.onnx"})
    EXPECT_THAT(content_of(folder.file(std::string("out/") + name)), StartsWith("\x08\x08"));
  const auto config = nlohmann::json::parse(content_of(folder.file("out/config.json")));
  EXPECT_EQ(config.at("decoder_start_token_id"), kBos);
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/source.spm")));
  model.architecture = "ssru_transformer";
  model.options["ssru_projection"] = false;
  model.write(folder.file("s.safetensors"));
  try {
    export_to_onnx(ExportModel::open(folder.file("s.safetensors")), folder.file("other"));
    FAIL();
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.message(), HasSubstr("the architecture ssru_transformer"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("other")));
}

}  // namespace
}  // namespace phraseq
