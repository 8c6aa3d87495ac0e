#include "core/text/subword_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/count_of.h"

namespace phraseq {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string warning_of(const std::vector<std::string>& lines) {
  testing::internal::CaptureStderr();
  SubwordDetector watch("en");
  for (const std::string& line : lines) watch.observe(line);
  return testing::internal::GetCapturedStderr();
}

TEST(SubwordMarks, AreCountedByTheirKind) {
  const SubwordMarks marks = count_subword_marks("ein klei@@ nes \u2581Haus @@ a@@b \u2581 .");
  EXPECT_EQ(marks.tokens, 8);
  EXPECT_EQ(marks.ended, 2);
  EXPECT_EQ(marks.begun, 2);
}

TEST(SubwordMarks, NeedAShareOfTheText) {
  EXPECT_FALSE((SubwordMarks{0, 0, 0}.is_segmented()));
  EXPECT_FALSE((SubwordMarks{4, 1, 0}.is_segmented()));  // one word of a text about the mark itself
  EXPECT_TRUE((SubwordMarks{2, 2, 0}.is_segmented()));
  EXPECT_TRUE((SubwordMarks{300, 0, 3}.is_segmented()));
  EXPECT_FALSE((SubwordMarks{301, 0, 3}.is_segmented()));
}

TEST(SubwordDetector, WarnsOnceOfTextThatWasCutBefore) {
  const std::string bpe = warning_of({"a big dog", "two ca@@ ts sle@@ ep", "ca@@ ts", "ca@@ ts"});
  EXPECT_THAT(bpe, HasSubstr("[en] the text appears to be segmented into subwords already"));
  EXPECT_THAT(bpe, HasSubstr("end with @@"));
  EXPECT_EQ(count_of(bpe, "segmented into subwords already"), 1u) << bpe;
  EXPECT_THAT(warning_of({"\u2581a \u2581big \u2581do g"}), HasSubstr("begin with U+2581"));
}

TEST(SubwordDetector, IgnoresPlainText) {
  EXPECT_THAT(warning_of({"a big dog", "me@example.com or @@ here", "", "two cats"}), IsEmpty());
}

TEST(WarnOfSubwords, NamesTheOptionThatJoinsThem) {
  testing::internal::CaptureStderr();
  warn_of_subwords({"ein klei@@ nes H@@ aus im Ta@@ l"}, "--remove-bpe");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--remove-bpe subword_nmt"));
  testing::internal::CaptureStderr();
  warn_of_subwords({"ein kleines Haus"}, "--remove-bpe");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
}

}  // namespace
}  // namespace phraseq
