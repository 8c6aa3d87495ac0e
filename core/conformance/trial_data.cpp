#include "core/conformance/trial_data.h"

#include <vector>

#include <fmt/format.h>

#include "core/corpus/indexed_dataset.h"
#include "core/io/atomic_file.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr int kToyPairs = 23;

}  // namespace

TrialData write_toy_data(const std::string& folder) {
  TrialData data;
  data.folder = folder;
  for (const std::string& language : {data.source, data.target}) {
    Dictionary dictionary;
    std::vector<std::string> lines;
    for (int pair = 0; pair < kToyPairs; ++pair) {
      std::string line;
      for (int word = 0; word <= (pair * (language == data.source ? 5 : 7)) % 6; ++word)
        line += fmt::format("{}{}{}", word == 0 ? "" : " ", language, (pair + word) % 9);
      lines.push_back(line);
    }
    std::string text;
    for (int word = 0; word < 9; ++word) dictionary.add(fmt::format("{}{}", language, word));
    IndexedDatasetWriter writer(
        indexed_prefix(folder, data.split, data.source, data.target, language), dictionary.size());
    for (const std::string& line : lines) {
      text += line + '\n';
      writer.add(dictionary.encode(line));
    }
    writer.commit();
    dictionary.save(fmt::format("{}/dict.{}.txt", folder, language));
    write_file(fmt::format("{}/{}.{}", folder, data.split, language), text);
  }
  return data;
}

}  // namespace phraseq::conformance
