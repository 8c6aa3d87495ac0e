// A JSON document, and every member of it as each type.

#include "core/io/json_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void read_as_every_type(const JsonEntry& entry) {
  fuzz::check([&] { entry.text(); });
  fuzz::check([&] { entry.texts(); });
  fuzz::check([&] { entry.truth(); });
  fuzz::check([&] { entry.number(); });
  fuzz::check([&] { entry.whole_number(-5, 1'000'000); });
  fuzz::check([&] {
    for (const JsonEntry& item : entry.items()) read_as_every_type(item);
  });
  fuzz::check([&] {
    for (const auto& [name, member] : entry.members()) read_as_every_type(entry.at(name));
  });
}

}  // namespace

PHRASEQ_FUZZ_TARGET(json) {
  return fuzz::check([&] {
    const nlohmann::json document = parse_json(fuzz::text_of(data, size), "input");
    read_as_every_type(JsonEntry(document, "input"));
  });
}
