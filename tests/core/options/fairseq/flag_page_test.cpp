#include "core/options/fairseq/flag_page.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace phraseq::fairseq {
namespace {

constexpr const char* kPage = PHRASEQ_SOURCE_FOLDER "/docs/guide/fairseq_flags.md";

/// PHRASEQ_WRITE_PAGES=1 writes the page anew.
TEST(FlagPage, IsWhatTheTableSays) {
  if (std::getenv("PHRASEQ_WRITE_PAGES") != nullptr)
    std::ofstream(kPage) << flag_page();
  std::ifstream stream(kPage);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_TRUE(text.str() == flag_page()) << kPage << " differs: run this test with "
                                         << "PHRASEQ_WRITE_PAGES=1";
}

}  // namespace
}  // namespace phraseq::fairseq
