#include "core/options/enum_name.h"

#include <gtest/gtest.h>

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

TEST(EnumNames, HaveNoValueIfTheyAreUnknown) {
  EXPECT_EQ(enum_value(kFruitNames, "aple"), std::nullopt);
}

}  // namespace
}  // namespace phraseq
