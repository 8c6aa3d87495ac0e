#include "core/options/man_page.h"

#include <gtest/gtest.h>

#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

TEST(ManPage, IsRoffWithOneEntryPerOption) {
  int64_t beam = 5;
  bool quiet = false;
  OptionTable table;
  table.field("beam", beam, ".5 is no beam; back\\slash.").in(1, 9).short_flag("b");
  table.section("Output");
  table.field("quiet", quiet, "Say less.");
  EXPECT_EQ(man_page(table, "new-plugin", "NAME [OPTIONS]", "Begins a plugin. And more."),
            ".TH PHRASEQ\\-NEW\\-PLUGIN 1 \"\" \"phraseq " PHRASEQ_VERSION
            "\" \"phraseq\"\n"
            ".SH NAME\nphraseq\\-new\\-plugin \\- Begins a plugin\n"
            ".SH SYNOPSIS\n.B phraseq new\\-plugin\nNAME [OPTIONS]\n"
            ".SH DESCRIPTION\nBegins a plugin. And more.\n"
            ".SH OPTIONS\n.TP\n.B \\-b, \\-\\-beam N\n"
            "\\&.5 is no beam; back\\eslash. (default 5; 1 to 9)\n"
            ".SH OUTPUT\n.TP\n.B \\-\\-quiet\nSay less. (default no)\n");
}

}  // namespace
}  // namespace phraseq
