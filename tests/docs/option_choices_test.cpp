// Options with a fixed set of values: each name is a distinct value, in every option table.

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/preprocess_options.h"
#include "core/phrase_memory/table/phrase_table_options.h"
#include "core/plugin/loader.h"
#include "core/run/analyze_run.h"
#include "core/run/generation/generate_run.h"
#include "core/run/rescore_run.h"
#include "core/score/compare/compare_options.h"
#include "core/score/report/score_options.h"
#include "core/train/options/checkpoint_options.h"
#include "core/train/options/component_options.h"
#include "core/train/options/machine_options.h"
#include "core/train/options/optimization_options.h"
#include "core/train/options/validation_options.h"

namespace phraseq {
namespace {

/// Calls `check(name, table)` for the options of every command and of every component.
template <class Check>
void for_each_table(const Check& check) {
  const auto described = [&](const std::string& name, Options&& options) {
    OptionTable table;
    options.describe(table);
    check(name, table);
  };
  described("train: components", ComponentOptions());
  described("train: optimization", OptimizationOptions());
  described("train: validation", ValidationOptions());
  described("train: checkpoints", CheckpointOptions());
  described("train: machine", MachineOptions());
  described("generate", GenerateOptions(/*line_by_line=*/false));
  described("rescore", RescoreOptions());
  described("analyze", AnalyzeOptions());
  described("models", ModelOptions());
  described("preprocess", PreprocessOptions());
  described("phrase-table", PhraseTableOptions());
  described("score", score::ScoreOptions());
  described("compare", score::CompareOptions());
  Registry registry;
  const std::vector<std::string> folders = {PHRASEQ_BUILD_FOLDER "/lib/phraseq"};
  load_plugins(registry, folders);
  for (const Component* component : registry.components())
    described(component->kind + " " + component->name, std::move(*component->make_options()));
}

/// The fields with choices, except lists of strings.
std::vector<OptionField*> fields_with_choices(OptionTable& table) {
  std::vector<OptionField*> found;
  for (OptionField& field : table.fields()) {
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(field.target);
    if (!field.choices.empty() && !is_list)
      found.push_back(&field);
  }
  return found;
}

TEST(OptionChoices, AreValuesOfAnEnum) {
  size_t checked = 0;
  for_each_table([&](const std::string& name, OptionTable& table) {
    for (const OptionField* field : fields_with_choices(table)) {
      EXPECT_TRUE(std::holds_alternative<std::shared_ptr<EnumTarget>>(field->target))
          << name << ": --" << field->name;
      ++checked;
    }
  });
  EXPECT_GT(checked, 60U);
}

TEST(OptionChoices, AreEachAValueThatIsWrittenUnderTheSameName) {
  for_each_table([&](const std::string& name, OptionTable& table) {
    for (OptionField* field : fields_with_choices(table)) {
      for (const std::string& choice : field->choices) {
        field->from_text(choice, OptionOrigin::kCommandLine);
        EXPECT_EQ(field->to_text(), choice) << name << ": --" << field->name;
      }
      const std::set<std::string> distinct(field->choices.begin(), field->choices.end());
      EXPECT_EQ(distinct.size(), field->choices.size()) << name << ": --" << field->name;
    }
  });
}

TEST(OptionChoices, IncludeTheDefaultOfEveryOptionThatNeedsNoValue) {
  for_each_table([&](const std::string& name, OptionTable& table) {
    for (const OptionField* field : fields_with_choices(table)) {
      if (field->is_required)
        EXPECT_EQ(field->default_text, "") << name << ": --" << field->name;
      else
        EXPECT_THAT(field->choices, testing::Contains(field->default_text))
            << name << ": --" << field->name;
    }
  });
}

TEST(OptionChoices, AreListedWhenAValueIsNotAmongThem) {
  for_each_table([&](const std::string& name, OptionTable& table) {
    for (OptionField* field : fields_with_choices(table)) {
      const std::string before = field->to_text();
      std::vector<std::string> named = field->choices;
      std::erase(named, "");  // "" is a choice of some options, but is not listed
      try {
        field->from_text("no such value", OptionOrigin::kCommandLine);
        ADD_FAILURE() << name << ": --" << field->name << " takes any value";
      } catch (const UsageError& failure) {
        EXPECT_THAT(
            failure.message(),
            testing::StartsWith(fmt::format(
                "--{}: 'no such value' is not one of {}", field->name, fmt::join(named, ", "))));
      }
      EXPECT_EQ(field->to_text(), before);
    }
  });
}

}  // namespace
}  // namespace phraseq
