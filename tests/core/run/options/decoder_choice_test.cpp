#include "core/run/options/decoder_choice.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using Arguments = std::vector<std::string>;

TEST(DecoderChoice, IsTheNamedDecoderOrTheSampledOneOrBeamSearch) {
  EXPECT_EQ(DecoderChoice().choose(Arguments{}), "beam");
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--decoder", "greedy"}), "greedy");
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--sampling"}), "sampling");
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--sampling", "--decoder", "sampling"}), "sampling");
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--sampling", "no"}), "beam");
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--sampling", "yes", "--beam", "2"}), "sampling");
}

TEST(DecoderChoice, IsReadFromAConfigurationFile) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("config")) << "sampling = yes\n";
  EXPECT_EQ(DecoderChoice().choose(Arguments{"--config", folder.file("config")}), "sampling");
}

TEST(DecoderChoice, RejectsSamplingWithAnotherDecoder) {
  EXPECT_THROW(DecoderChoice().choose(Arguments{"--sampling", "--decoder", "beam"}), UsageError);
}

TEST(DecoderChoice, SaysInAConfigurationWhatWasChosen) {
  DecoderChoice choice;
  choice.choose(Arguments{"--sampling"});
  OptionTable table;
  choice.describe(table);
  EXPECT_EQ(table.find("decoder")->to_text(), "sampling");
}

}  // namespace
}  // namespace phraseq
