// A data set of fairseq: the .idx file, "||||", and the .bin file.

#include "core/corpus/indexed_dataset.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "core/corpus/trees/subword_tree.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void read_all(const IndexedDataset& data) {
  data.ids_fingerprint();
  int64_t tokens = 0;
  for (int64_t i = 0; i < data.size(); ++i) {
    const std::vector<int64_t> ids = data.get(i);
    tokens += static_cast<int64_t>(ids.size());
    fuzz::check([&] { decode_slots(ids); });
    fuzz::check([&] { SubwordTree::decode(ids); });
  }
  if (tokens != data.tokens())
    throw std::logic_error("the sentences have another number of tokens than the data set");
  data.check_ids(100);
}

}  // namespace

PHRASEQ_FUZZ_TARGET(indexed_data) {
  const auto [index, ids] = fuzz::parts_of<2>(fuzz::text_of(data, size));
  fuzz::write_in_folder("data.idx", index);
  fuzz::write_in_folder("data.bin", ids);
  return fuzz::check([&] { read_all(IndexedDataset::open(fuzz::folder() + "/data")); });
}
