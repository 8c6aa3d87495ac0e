#include "core/plugin/registry.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plugin/component_call.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Setup {
  int64_t width = 0;
};

class Shape {
 public:
  static constexpr const char* kKind = "shape";
  using Setup = phraseq::Setup;
  using Factory = std::function<std::unique_ptr<Shape>(const Options&, const Setup&)>;
  virtual ~Shape() = default;
  virtual int64_t area() const = 0;
};

struct BoxOptions final : Options {
  int64_t height = 3;
  std::string color = "gray";
  void describe(OptionTable& table) override {
    table.field("height", height, "Rows.").in(1, 9);
    table.field("color", color, "Paint.");
  }
};

class Box final : public Shape {
 public:
  Box(const BoxOptions& options, const Setup& setup) : area_(options.height * setup.width) {
    if (setup.width == 13)
      throw Error(kExitUsage, "no thirteen");
    if (setup.width == 15)
      throw std::filesystem::filesystem_error(
          "status", "data-bin", std::make_error_code(std::errc::permission_denied));
    if (setup.width == 17)
      throw std::runtime_error("odd weather");
    if (setup.width == 19)
      throw 4;
  }
  int64_t area() const override { return area_; }

 private:
  int64_t area_;
};

void make_tall(BoxOptions& options) { options.height = 7; }

void add_box(Registry& registry, const std::string& name = "box") {
  registry.add<Shape, Box, BoxOptions>(
      name, "A box.", {preset(name + "_tall", "Seven rows.", &make_tall)});
}

const LoadedPlugin kShapes = {"shapes", "2.1", "Shapes", "/plugins/libphraseq-shapes.so"};

TEST(Registry, MakesWhatWasRegisteredFromOptionsAndSetup) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box");
  EXPECT_EQ(create<Shape>(selection, {.width = 5})->area(), 15);
}

TEST(Registry, AppliesThePresetThatIsAskedFor) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box_tall");
  EXPECT_EQ(selection.component->name, "box");
  EXPECT_EQ(selection.name, "box_tall");
  EXPECT_EQ(create<Shape>(selection, {.width = 5})->area(), 35);
}

TEST(Registry, ListsNamesAndPresetsOfAKindAndWhereTheyAreFrom) {
  Registry registry;
  registry.add_plugin(kShapes, [](Registry& it) { add_box(it); });
  EXPECT_THAT(registry.names("shape"), ElementsAre("box", "box_tall"));
  EXPECT_TRUE(registry.names("sound").empty());
  ASSERT_EQ(registry.components().size(), 1u);
  EXPECT_EQ(registry.components()[0]->plugin, "shapes");
  EXPECT_EQ(registry.components()[0]->plugin_version, "2.1");
  EXPECT_EQ(registry.components()[0]->file, kShapes.file);
}

TEST(Registry, AnswersAnUnknownNameWithTheNearestAndTheCommandThatListsAll) {
  Registry registry;
  registry.add_plugin(kShapes, [](Registry& it) { add_box(it); });
  EXPECT_THAT(whole_message_of([&] { registry.select("shape", "bxo"); }),
              AllOf(HasSubstr("unknown shape 'bxo'; did you mean 'box'?"),
                    Not(HasSubstr("Nearest names")),
                    HasSubstr("'phraseq plugins list --kind shape --presets' lists all 2."),
                    HasSubstr("1 plugin is loaded"),
                    HasSubstr("PHRASEQ_PLUGIN_PATH")));
  EXPECT_THROW(registry.select("shape", "bxo"), UsageError);
}

TEST(Registry, ShowsNoMoreThanThreeNamesForAnUnknownOne) {
  Registry registry;
  for (const char* name : {"cone", "cube", "prism", "sphere", "torus"})
    registry.add<Shape, Box, BoxOptions>(name, "A shape.");
  const std::string message = whole_message_of([&] { registry.select("shape", "conus"); });
  EXPECT_THAT(message, HasSubstr("Nearest names: cone, torus, cube. "));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("prism")), Not(HasSubstr("sphere"))));
}

TEST(Registry, TakesADashForAnUnderscore) {
  Registry registry;
  add_box(registry);
  EXPECT_EQ(registry.select("shape", "box-tall").name, "box_tall");
}

TEST(Registry, TakesNamesWithAPlus) {
  Registry registry;
  add_box(registry, "box++");
  EXPECT_EQ(registry.select("shape", "box++").name, "box++");
}

TEST(Registry, ReportsThatNoLoadedPluginOffersTheKind) {
  const Registry registry;
  EXPECT_THAT(
      whole_message_of([&] { registry.select("shape", "box"); }),
      AllOf(HasSubstr("No loaded plugin provides a shape"), HasSubstr("0 plugins are loaded")));
}

TEST(Registry, KeepsKindsApart) {
  Registry registry;
  add_box(registry);
  Component other;
  other.kind = "sound";
  other.name = "box";
  registry.add(other);
  EXPECT_EQ(registry.components().size(), 2u);
  EXPECT_EQ(registry.select("shape", "box").component->kind, "shape");
}

TEST(Registry, RejectsASecondOfANameAlsoAmongPresets) {
  Registry registry;
  registry.add_plugin(kShapes, [](Registry& it) { add_box(it); });
  const LoadedPlugin more = {"more", "1", "More", "/plugins/libphraseq-more.so"};
  for (const std::string name : {"box", "box_tall"}) {
    const std::string text = whole_message_of(
        [&] { registry.add_plugin(more, [&](Registry& it) { add_box(it, name); }); });
    EXPECT_THAT(text,
                AllOf(HasSubstr("shape '" + name + "' is registered twice"),
                      HasSubstr(kShapes.file),
                      HasSubstr(more.file)));
  }
  EXPECT_EQ(registry.components().size(), 1u);
}

TEST(Registry, RejectsAComponentThatHasItsOwnPresetsName) {
  Registry registry;
  EXPECT_THROW((registry.add<Shape, Box, BoxOptions>(
                   "box", "A box.", {preset("box", "Itself.", &make_tall)})),
               PluginError);
  EXPECT_THROW((registry.add<Shape, Box, BoxOptions>(
                   "box",
                   "A box.",
                   {preset("box_a", "One.", &make_tall), preset("box_a", "Two.", &make_tall)})),
               PluginError);
}

TEST(Registry, RejectsInvalidNames) {
  for (const char* name :
       {"", "../evil", "/abs", "a.so", "Box", "9box", "box-tall", "bóx", "_box"}) {
    Registry registry;
    EXPECT_THAT(whole_message_of([&] { add_box(registry, name); }),
                HasSubstr("is not a valid name for a shape"))
        << name;
  }
}

TEST(Registry, LeavesNothingOfAPluginThatFails) {
  Registry registry;
  const std::string text = whole_message_of([&] {
    registry.add_plugin(kShapes, [](Registry& it) {
      add_box(it);
      throw std::runtime_error("no ink");
    });
  });
  EXPECT_THAT(text,
              AllOf(HasSubstr("plugin 'shapes'"), HasSubstr(kShapes.file), HasSubstr("no ink")));
  EXPECT_TRUE(registry.components().empty());
  EXPECT_TRUE(registry.plugins().empty());
}

TEST(Registry, IsFrozenByTheFirstLookUp) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box");
  EXPECT_THAT(whole_message_of([&] { add_box(registry, "late"); }),
              HasSubstr("shape 'late' is registered too late"));
  EXPECT_THROW(registry.add_plugin(kShapes, [](Registry& it) { add_box(it, "late"); }),
               PluginError);
  EXPECT_EQ(selection.component->name, "box");  // the selected component stays valid
}

TEST(Create, NamesThePluginOfWhatAConstructorThrows) {
  Registry registry;
  registry.add_plugin(kShapes, [](Registry& it) { add_box(it); });
  const Selection selection = registry.select("shape", "box_tall");
  EXPECT_EQ(whole_message_of([&] { create<Shape>(selection, {.width = 17}); }),
            "shapes: could not create box_tall: odd weather");
  EXPECT_THAT(whole_message_of([&] { create<Shape>(selection, {.width = 19}); }),
              HasSubstr("shapes: could not create box_tall: an exception"));
  EXPECT_THROW(create<Shape>(selection, {.width = 17}), PluginError);
}

TEST(Create, PassesOnErrorsOfPhraseq) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box");
  EXPECT_EQ(whole_message_of([&] { create<Shape>(selection, {.width = 13}); }), "no thirteen");
}

/// The plugin made no mistake here.
TEST(Create, NamesTheFileThatCannotBeUsed) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box");
  EXPECT_EQ(whole_message_of([&] { create<Shape>(selection, {.width = 15}); }),
            "data-bin: cannot use: Permission denied");
  EXPECT_THROW(create<Shape>(selection, {.width = 15}), IoError);
}

TEST(CallComponent, NamesTheFileThatCannotBeUsed) {
  const Component component;
  const auto read = []() -> bool {
    throw std::filesystem::filesystem_error(
        "status", "test.en", std::make_error_code(std::errc::permission_denied));
  };
  const auto call = [&] { call_component(component, "has_split", read); };
  EXPECT_EQ(whole_message_of(call), "test.en: cannot use: Permission denied");
  EXPECT_THROW(call(), IoError);
}

TEST(Describe, MarksWhatThePresetChanged) {
  Registry registry;
  add_box(registry);
  const Selection selection = registry.select("shape", "box_tall");
  OptionTable table;
  describe(table, selection);
  EXPECT_EQ(table.find("height")->section, "shape box");
  EXPECT_EQ(table.find("height")->origin, OptionOrigin::kPreset);
  EXPECT_EQ(table.find("height")->default_text, "3");
  EXPECT_EQ(table.find("height")->to_text(), "7");
  EXPECT_EQ(table.find("color")->origin, OptionOrigin::kDefault);
}

}  // namespace
}  // namespace phraseq
