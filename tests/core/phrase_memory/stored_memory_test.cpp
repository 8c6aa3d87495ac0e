#include "core/phrase_memory/stored_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kStoredTable =
    "New York ||| Neu York ||| locations ||| 0.25 ||| 5\n"
    "dog ||| Hund ||| others ||| 1 ||| 7\n";

class StoredMemoryTest : public ::testing::Test {
 protected:
  StoredMemory memory(bool lowercase = false) {
    PhraseMemoryOptions options;
    options.phrase_table = folder.write("table", kStoredTable);
    options.pn_slots = 1;
    options.pn_overlap = PhraseOverlap::kLiteral;
    return StoredMemory::read(options, lowercase);
  }
  static std::vector<std::string> generated(const StoredMemory& memory,
                                            const std::string& sentence) {
    const PhraseMemory open = memory.open();
    std::vector<std::string> targets;
    for (const PhraseEntry& entry : open.read(open.words(sentence)).entries)
      targets.push_back(phrase_text(entry.target));
    return targets;
  }

  TemporaryFolder folder;
};

TEST_F(StoredMemoryTest, FollowsTheTableAndTheOptions) {
  EXPECT_EQ(memory().table, kStoredTable);
  EXPECT_THAT(generated(memory(), "a dog in New York"), ElementsAre("Neu York"));  // one slot
  EXPECT_THAT(generated(memory(), "a DOG"), ElementsAre());
  EXPECT_THAT(generated(memory(true), "a DOG"), ElementsAre("hund"));
}

TEST_F(StoredMemoryTest, IgnoresCaseWithoutLosingTheTablesOwn) {
  PhraseMemoryOptions options;
  options.phrase_table = folder.write("table", kStoredTable);
  const StoredMemory made = StoredMemory::read(options, /*lowercase=*/true, /*keeps_case=*/true);
  const StoredMemory kept = StoredMemory::from_record(made.record(), made.table, "here");
  EXPECT_EQ(kept.fingerprint(), made.fingerprint());
  for (const StoredMemory& memory : {made, kept}) {
    EXPECT_THAT(generated(memory, "a DOG in New york"), ElementsAre("Hund", "Neu York"));
    const PhraseMemory open = memory.open();
    const auto spans =
        open.read(open.words("a dog in New York")).spans_in(open.words("EIN HUND in Neu York"));
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0].begin, 1);
    EXPECT_EQ(spans[1].begin, 3);
  }
}

TEST_F(StoredMemoryTest, IsTheSameAfterItsRecord) {
  const StoredMemory before = memory(true);
  const StoredMemory after = StoredMemory::from_record(before.record(), before.table, "here");
  EXPECT_EQ(after.record(), before.record());
  EXPECT_EQ(after.fingerprint(), before.fingerprint());
  EXPECT_THAT(generated(after, "New YORK and a DOG"), ElementsAre("neu york"));
  EXPECT_EQ(before.record()["pn_slots"], 1);
  EXPECT_EQ(before.record()["pn_overlap"], "literal");
  EXPECT_EQ(before.record()["lowercase"], true);
}

TEST_F(StoredMemoryTest, HasAFingerprintOfTableAndOptions) {
  StoredMemory other = memory();
  other.settings.pn_slots = 2;
  EXPECT_NE(other.fingerprint(), memory().fingerprint());
  other = memory();
  other.table.clear();
  EXPECT_NE(other.fingerprint(), memory().fingerprint());
}

TEST_F(StoredMemoryTest, TakesAnotherTableForTheSameOptions) {
  const StoredMemory other =
      memory(true).with_table(folder.write("other", "dog ||| Köter ||| others ||| 1 ||| 1\n"));
  EXPECT_THAT(generated(other, "Dog dog"), ElementsAre("köter"));
}

TEST_F(StoredMemoryTest, IsStoredInAFolderWithTheChecksumOfItsTable) {
  const auto entry = memory().save(folder.path());
  EXPECT_EQ(StoredMemory::load(folder.path(), entry).fingerprint(), memory().fingerprint());
  folder.write("phrase_table.txt", "dog ||| Katze ||| others ||| 1 ||| 1\n");
  try {
    StoredMemory::load(folder.path(), entry);
    FAIL() << "another table was taken";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.message(), HasSubstr("phrase_table.txt: not the table"));
  }
}

TEST_F(StoredMemoryTest, OfRulesAloneNeedsNoTable) {
  PhraseMemoryOptions options;
  options.pn_rules = PhraseRules::kEnglishGerman;
  const auto entry = StoredMemory::read(options, false).save(folder.path());
  EXPECT_FALSE(entry.contains("table"));
  EXPECT_THAT(generated(StoredMemory::load(folder.path(), entry), "in 1,345.5 days"),
              ElementsAre("1.345,5"));
}

}  // namespace
}  // namespace phraseq
