#include "core/corpus/manifest/dataset_record.h"

#include <filesystem>

#include "core/corpus/indexed_dataset.h"
#include "core/io/crc32c.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {

nlohmann::json dataset_record(const std::string& input, const std::string& prefix) {
  const IndexedDataset written = IndexedDataset::open(prefix);
  return {{"input", input},
          {"input_bytes", std::filesystem::file_size(input)},
          {"input_crc32c", crc32c_text(file_crc32c(input))},
          {"index_crc32c", crc32c_text(written.fingerprint())},
          {"ids_crc32c", crc32c_text(written.ids_fingerprint())}};
}

}  // namespace phraseq
