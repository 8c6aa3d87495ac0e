#include "core/run/run_components.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

struct Setup {};

template <int kNumber>
class Thing {
 public:
  static constexpr const char* kKind = kNumber == 0 ? "shape" : "color";
  using Setup = phraseq::Setup;
  using Factory = std::function<std::unique_ptr<Thing>(const Options&, const Setup&)>;
  virtual ~Thing() = default;
};

struct Height final : Options {
  double height = 3;
  bool tall = false;
  void describe(OptionTable& table) override {
    table.field("height", height, "Rows.").alias("rows");
    table.field("tall", tall, "Whether there are many.");
  }
};

struct Nothing final : Options {
  void describe(OptionTable&) override {}
};

template <int kNumber, class OptionsType>
struct Implementation final : Thing<kNumber> {
  Implementation(const OptionsType&, const Setup&) {}
};

class OwnersOfOption : public ::testing::Test {
 protected:
  template <int kNumber, class OptionsType>
  void add(const std::string& name) {
    registry_.add<Thing<kNumber>, Implementation<kNumber, OptionsType>, OptionsType>(name, "");
  }
  std::string text(const std::string& option) const {
    const KindOption kinds[] = {{"shape", "form"}, {"color", "paint"}};
    return owners_of_option(registry_, kinds, option);
  }

  Registry registry_;
};

TEST_F(OwnersOfOption, NamesTheComponentAndHowToSelectIt) {
  add<0, Height>("box");
  add<0, Nothing>("dot");
  EXPECT_EQ(text("height"), "it is an option of --form box");
  EXPECT_EQ(text("rows"), "it is an option of --form box");
  EXPECT_EQ(text("no-tall"), "it is an option of --form box");
  EXPECT_EQ(text("width"), "");
}

TEST_F(OwnersOfOption, NamesSeveralComponentsOfSeveralKinds) {
  for (const char* name : {"ball", "box"}) add<0, Height>(name);
  add<1, Height>("red");
  EXPECT_EQ(text("height"), "it is an option of --form ball or box, and of --paint red");
}

TEST_F(OwnersOfOption, NamesTheFirstOfMany) {
  for (const char* name : {"a", "b", "c"}) add<0, Height>(name);
  EXPECT_EQ(text("height"), "it is an option of --form a, b or c");
  add<0, Height>("d");
  EXPECT_EQ(text("height"), "it is an option of --form a, b, c, and 1 more");
}

TEST_F(OwnersOfOption, LooksAtTheGivenKindsOnly) {
  add<1, Height>("red");
  const KindOption kinds[] = {{"shape", "form"}};
  EXPECT_EQ(owners_of_option(registry_, kinds, "height"), "");
}

}  // namespace
}  // namespace phraseq
