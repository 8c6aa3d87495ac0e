// A data set of fairseq: the bytes before the first "||||" are the .idx file, the others the .bin
// file.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/corpus/indexed_dataset.h"
#include "core/corpus/stored_phrases.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

/// One folder for all inputs of the process.
const std::string& folder() {
  static const std::string path = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("cannot make " + pattern);
    return pattern;
  }();
  return path;
}

void write(const std::string& name, std::string_view content) {
  std::ofstream(folder() + name, std::ios::binary) << content;
}

void read_all(const IndexedDataset& data) {
  data.ids_fingerprint();
  for (int64_t i = 0; i < data.size(); ++i) {
    const std::vector<int64_t> ids = data.get(i);
    fuzz::check([&] { decode_slots(ids); });
  }
  data.check_ids(100);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const size_t cut = std::min(text.find("||||"), text.size());
  write("/data.idx", text.substr(0, cut));
  write("/data.bin", text.substr(std::min(cut + 4, text.size())));
  return fuzz::check([&] { read_all(IndexedDataset::open(folder() + "/data")); });
}
