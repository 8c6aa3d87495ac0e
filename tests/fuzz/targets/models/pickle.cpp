// A pickle, read as records and converted to JSON like the options of a model.

#include "core/convert/pickle/pickle_json.h"
#include "core/convert/pickle/pickle_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(pickle) {
  using namespace phraseq;
  return fuzz::check([&] {
    const Pickle pickle = read_pickle(fuzz::text_of(data, size), "input");
    json_of(pickle.graph, pickle.graph.root(), "input").dump();
  });
}
