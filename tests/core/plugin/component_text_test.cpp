#include "core/plugin/component_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phraseq {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct CrateOptions final : Options {
  int64_t height = 3;
  std::string color = "gray";
  std::string label;
  void describe(OptionTable& table) override {
    table.field("height", height, "Rows.").in(1, 9);
    table.field("color", color, "Paint.");
    table.field("label", label, "What stands on it.");
  }
};

void make_high(CrateOptions& options) {
  options.height = 7;
  options.label = "up";
}
void make_usual(CrateOptions& /*options*/) {}

Component crate() {
  Component component;
  component.kind = "shape";
  component.name = "crate";
  component.description = "A crate.";
  component.make_options = [] { return std::make_unique<CrateOptions>(); };
  component.presets = {preset("crate_tall", "Seven rows.", &make_high),
                       preset("crate_plain", "As it is.", &make_usual)};
  component.plugin = "shapes";
  component.plugin_version = "2.1";
  component.file = "/plugins/libphraseq-shapes.so";
  return component;
}

TEST(ComponentText, DescribesTheOptionsAndWhatPresetsChange) {
  const std::string text = component_text(crate());
  EXPECT_THAT(text, AllOf(HasSubstr("shape crate\n  A crate.\n"), HasSubstr("--height N")));
  EXPECT_THAT(text, HasSubstr("crate_tall\n      Seven rows.\n      height 7, label up\n"));
  EXPECT_THAT(text, HasSubstr("crate_plain\n      As it is.\n      the defaults\n"));
}

TEST(PresetText, GivesEveryValueWithThePresetThoseItChangesFirst) {
  const Component component = crate();
  EXPECT_EQ(preset_text(component, component.presets[0]),
            "preset crate_tall of shape crate\n"
            "  Seven rows.\n"
            "  plugin shapes 2.1, /plugins/libphraseq-shapes.so\n"
            "\n"
            "Changed:\n"
            "  --height 7  (default 3)\n"
            "  --label up  (default '')\n"
            "\n"
            "As by default:\n"
            "  --color gray\n");
}

TEST(PresetText, ReportsThatNothingIsChanged) {
  const Component component = crate();
  const std::string text = preset_text(component, component.presets[1]);
  EXPECT_THAT(text, HasSubstr("Changed:\n  nothing\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("--height 3\n"), Not(HasSubstr("(default"))));
}

}  // namespace
}  // namespace phraseq
