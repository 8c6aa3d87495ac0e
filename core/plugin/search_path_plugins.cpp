#include "core/plugin/search_path_plugins.h"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/standard_streams.h"
#include "core/plugin/loader.h"

namespace phraseq {

SearchPathPlugins::SearchPathPlugins(const std::vector<std::string>& folders,
                                     const std::string& except) {
  for (const std::string& file : find_plugin_files(plugin_search_path(folders))) {
    if (std::filesystem::path(file).filename() == except)
      continue;
    try {
      load_plugin_file(registry, file);
    } catch (const Error& failure) {
      rejections.emplace_back(failure.what());
    }
  }
}

int SearchPathPlugins::report() const {
  std::cout.flush();
  for (const std::string& rejection : rejections)
    write_to_standard_error(fmt::format("rejected: {}\n", rejection));
  return rejections.empty() ? kExitOk : kExitPlugin;
}

}  // namespace phraseq
