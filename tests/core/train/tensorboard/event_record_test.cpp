#include "core/train/tensorboard/event_record.h"

#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phraseq::tensorboard {
namespace {

nlohmann::json golden() {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/tensorboard/events.json");
  return nlohmann::json::parse(file);
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(EventRecord, HoldsScalarsAsTensorBoardWritesThem) {
  const auto cases = golden().at("scalars");
  ASSERT_EQ(cases.size(), 4u);
  for (const auto& expected : cases) {
    Scalars scalars;
    for (const auto& entry : expected.at("scalars"))
      scalars.emplace_back(entry.at(0).get<std::string>(), entry.at(1).get<float>());
    const std::string event = scalar_event(expected.at("wall_time"), expected.at("step"), scalars);
    EXPECT_EQ(hex(frame(event)), expected.at("record").get<std::string>());
  }
}

TEST(EventRecord, NamesTheVersionAndTheStartAsTensorBoardWritesThem) {
  const auto cases = golden();
  EXPECT_EQ(hex(frame(version_event(cases["version"]["wall_time"]))),
            cases["version"]["record"].get<std::string>());
  EXPECT_EQ(hex(frame(start_event(cases["start"]["wall_time"], cases["start"]["step"]))),
            cases["start"]["record"].get<std::string>());
}

}  // namespace
}  // namespace phraseq::tensorboard
