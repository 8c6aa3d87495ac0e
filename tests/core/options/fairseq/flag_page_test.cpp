#include "core/options/fairseq/flag_page.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/file_content.h"

namespace phraseq::fairseq {
namespace {

constexpr const char* kPage = PHRASEQ_SOURCE_FOLDER "/docs/guide/fairseq_flags.md";

/// With PHRASEQ_WRITE_PAGES=1, the test writes the page.
TEST(FlagPage, AgreesWithTheTable) {
  if (std::getenv("PHRASEQ_WRITE_PAGES") != nullptr)
    std::ofstream(kPage) << flag_page();
  EXPECT_TRUE(content_of(kPage) == flag_page()) << kPage << " differs: run this test with "
                                                << "PHRASEQ_WRITE_PAGES=1";
}

}  // namespace
}  // namespace phraseq::fairseq
