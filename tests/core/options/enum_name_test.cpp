#include "core/options/enum_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/options/options_test.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

enum class Fruit { kUnknown, kApple, kPear };

constexpr EnumName<Fruit> kFruitNames[] = {{"apple", Fruit::kApple}, {"pear", Fruit::kPear}};

TEST(EnumNames, AreFoundByValueAndValuesByName) {
  EXPECT_EQ(enum_name(kFruitNames, Fruit::kPear), "pear");
  EXPECT_EQ(enum_value(kFruitNames, "apple"), Fruit::kApple);
}

TEST(EnumNames, AreEmptyForAValueWithoutOne) {
  EXPECT_EQ(enum_name(kFruitNames, Fruit::kUnknown), "");
}

TEST(EnumNames, AreListedWhenAnUnknownOneIsAskedFor) {
  const auto refused = [] { enum_value(kFruitNames, "aple"); };
  EXPECT_EQ(message_of(refused), "'aple' is not one of apple, pear; did you mean 'apple'?");
  EXPECT_THROW(refused(), UsageError);
}

}  // namespace
}  // namespace phraseq
