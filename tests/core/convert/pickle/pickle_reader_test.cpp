#include "core/convert/pickle/pickle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/convert/pickle/pickle_json.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/core/convert/golden_torch_files.h"
#include "tests/support/file_content.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using ::testing::AllOf;
using testing::golden_torch_file;
using ::testing::HasSubstr;

json values_of(const std::string& bytes) {
  const Pickle pickle = read_pickle(bytes, "file");
  return json_of(pickle.graph, pickle.graph.root(), "file");
}

std::string rejection_of(const std::string& bytes) {
  return message_of<FormatError>([&] { values_of(bytes); });
}

TEST(PickleReader, ReadsWhatPythonWroteInEveryProtocol) {
  const json expected = json::parse(content_of(golden_torch_file("values.json")));
  for (int protocol = 0; protocol <= 5; ++protocol) {
    const auto name = "values" + std::to_string(protocol) + ".pkl";
    const std::string bytes = content_of(golden_torch_file(name));
    EXPECT_EQ(values_of(bytes), expected) << name;
    EXPECT_EQ(read_pickle(bytes + "rest", name).bytes, bytes.size()) << name;
  }
}

TEST(PickleReader, RejectsEveryClassAndFunctionThatIsNotPartOfAModelByName) {
  EXPECT_THAT(rejection_of("cos\nsystem\n(S'touch x'\ntR."),
              AllOf(HasSubstr("file: the pickle data refer to os.system"),
                    HasSubstr("not part of a model")));
  EXPECT_THAT(rejection_of("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x01x\x85R."),
              HasSubstr("posix.system"));
  EXPECT_THAT(rejection_of("(ios\nsystem\n."), HasSubstr("os.system"));
  for (const char* name : {"eval", "exec", "__import__", "open", "print", "compile"})
    EXPECT_THAT(rejection_of("cbuiltins\n"s + name + "\n."), HasSubstr("builtins."s + name));
  EXPECT_THAT(rejection_of("ctorch\nload\n."), HasSubstr("torch.load"));
  EXPECT_THAT(rejection_of("ctorch.hub\nload\n."), HasSubstr("torch.hub.load"));
  EXPECT_THAT(rejection_of("cfairseq_evil\nrun\n."), HasSubstr("fairseq_evil.run"));
}

TEST(PickleReader, RejectsTheAttributesAndItemsOfAnythingButEnumerationsAndTypes) {
  EXPECT_THAT(rejection_of("cbuiltins\ngetattr\n(cbuiltins\nobject\nS'__subclasses__'\ntR."),
              HasSubstr("call builtins.getattr"));
  EXPECT_THAT(rejection_of("coperator\ngetitem\n(cbuiltins\ndict\nS'x'\ntR."),
              HasSubstr("call operator.getitem"));
  EXPECT_EQ(values_of("cbuiltins\ngetattr\n(cfairseq.dataclass.constants\nDDP\nS'c10d'\ntR."),
            json("c10d"));
}

TEST(PickleReader, KeepsObjectsOfFairseqAndOmegaconfAsRecords) {
  EXPECT_EQ(values_of("cfairseq.dataclass.constants\nDDP\n(S'no_c10d'\ntR."), json("no_c10d"));
  EXPECT_EQ(values_of("cfairseq.logging.meters\nMeter\n)\x81}(S'n'\nI3\nub."), json({{"n", 3}}));
  EXPECT_EQ(values_of("comegaconf.dictconfig\nDictConfig\n)\x81}(S'_content'\n}(S'width'\n"
                      "comegaconf.nodes\nAnyNode\n)\x81}S'_val'\nI8\nsbuub."),
            json({{"width", 8}}));
  EXPECT_EQ(values_of("ctorch\ndevice\n(S'cpu'\ntR."), json("<torch.device>"));
}

TEST(PickleReader, RejectsEveryCutOfAPickle) {
  for (const char* name : {"values0.pkl", "values2.pkl", "values5.pkl"}) {
    const std::string bytes = content_of(golden_torch_file(name));
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THAT(rejection_of(bytes.substr(0, length)), HasSubstr("damaged pickle data at byte"))
          << name << " of " << length << " bytes";
  }
}

TEST(PickleReader, RejectsWhatDoesNotFitTogether) {
  EXPECT_THAT(rejection_of("."), HasSubstr("a value is missing on the stack"));
  EXPECT_THAT(rejection_of("a."), HasSubstr("a value is missing"));
  EXPECT_THAT(rejection_of("I1\n(0I2\n(."), HasSubstr("a value is missing"));  // below a mark
  EXPECT_THAT(rejection_of("t."), HasSubstr("a mark is missing"));
  EXPECT_THAT(rejection_of("h\x05."), HasSubstr("value 5 is used before it is stored"));
  EXPECT_THAT(rejection_of("I1\nI2\na."), HasSubstr("not a container"));
  EXPECT_THAT(rejection_of("}(S'a'\nu."), HasSubstr("a key without a value"));
  EXPECT_THAT(rejection_of("I1\n)R."), HasSubstr("not a class or function"));
  EXPECT_THAT(rejection_of("ctorch\nSize\nI1\nR."), HasSubstr("not a tuple"));
  EXPECT_THAT(rejection_of("]}b."), HasSubstr("not an object"));
  EXPECT_THAT(rejection_of("Ix\n."), HasSubstr("'x' is not a whole number"));
  EXPECT_THAT(rejection_of("S'a\n."), HasSubstr("quotation marks"));
  EXPECT_THAT(rejection_of("V\\u12\n."), HasSubstr("escape sequence"));
  EXPECT_THAT(rejection_of("\x80\x06."), HasSubstr("protocol 6"));
  EXPECT_THAT(rejection_of("\x82\x01."), HasSubstr("opcode 0x82"));  // the extension registry
  EXPECT_THAT(rejection_of("\xff."), HasSubstr("opcode 0xFF"));
}

TEST(PickleReader, AllocatesNoMemoryForALengthBeyondTheEnd) {
  EXPECT_THAT(rejection_of("\x8e\xff\xff\xff\xff\xff\xff\xff\x7f."),
              HasSubstr("end within a value"));
  EXPECT_THAT(rejection_of("X\xff\xff\xff\xff."), HasSubstr("end within a value"));
  EXPECT_EQ(values_of("I7\nr\xff\xff\xff\xff."), json(7));  // a memo of one entry
}

TEST(PickleJson, RejectsValuesThatContainThemselvesOrGrowWithoutLimit) {
  EXPECT_THAT(rejection_of("]q\x01h\x01"
                           "a."),
              HasSubstr("nested more than 100 deep"));
  std::string doubled = "I1\n";
  for (int i = 0; i < 60; ++i) doubled += "2\x86";  // (x, x)
  EXPECT_THAT(rejection_of(doubled + "."), HasSubstr("more than 1000000 values"));
}

}  // namespace
}  // namespace phraseq
