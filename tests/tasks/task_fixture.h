#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/corpus/indexed_dataset.h"
#include "core/corpus/indexed_dataset_writer.h"
#include "core/data/task.h"
#include "core/options/option_table.h"
#include "core/plugin/loader.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::testing {

/// A test with a folder and the plugins of the build.
class TaskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"translation",
                             "translation_with_phrase_memory",
                             "indexed_data",
                             "text_data",
                             "sentencepiece",
                             "word"}) {
      load_plugin_file(registry_,
                       std::string(PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-") + name + ".so");
    }
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void write_indexed(const std::string& name,
                     int64_t vocabulary,
                     const std::vector<std::vector<int64_t>>& sentences) const {
    IndexedDatasetWriter writer(path(name), vocabulary);
    for (const auto& sentence : sentences) writer.add(sentence);
    writer.commit();
  }

  /// Makes the task with the options `name value`.
  std::unique_ptr<Task> make_task(
      const TaskSetup& given,
      const std::vector<std::pair<std::string, std::string>>& options = {}) {
    Selection selection = registry_.select(Task::kKind, task_name_);
    OptionTable table;
    selection.options->describe(table);
    for (const auto& [name, value] : options) {
      table.find(name)->from_text(value, OptionOrigin::kCommandLine);
    }
    TaskSetup setup = given;
    setup.registry = &registry_;
    return create<Task>(selection, setup);
  }
  std::unique_ptr<Task> task_from_folder(
      const std::vector<std::pair<std::string, std::string>>& options = {}) {
    TaskSetup setup;
    setup.data = folder_.string();
    return make_task(setup, options);
  }

  /// The folder of real data, or an empty string.
  static std::string real_data() {
    const char* const place = std::getenv("PHRASEQ_DATA");
    return place == nullptr ? "" : place;
  }

  std::string task_name_ = "translation";
  Registry registry_;
  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

}  // namespace phraseq::testing
