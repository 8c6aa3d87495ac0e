// A model of Marian: its settings, "||||", and its vocabulary in each of the two text formats.

#include "core/convert/marian/marian_settings.h"
#include "core/convert/marian/marian_vocabulary.h"
#include "core/io/yaml/yaml_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(marian_model) {
  using namespace phraseq;
  const auto [settings, vocabulary] = fuzz::parts_of<2>(fuzz::text_of(data, size));
  fuzz::check([settings = settings] {
    marian_settings_of(parse_yaml(settings, "model.yml"), "model.yml");
  });
  for (const char* name : {"vocab.yml", "vocab.txt"}) {
    const std::string path = fuzz::write_in_folder(name, vocabulary);
    fuzz::check([&] { read_marian_vocabulary(path, 5); });
  }
  return 0;
}
