// A MarianMTModel of Hugging Face: config.json, "||||", and vocab.json.

#include "core/convert/hf/hf_vocabulary.h"
#include "core/convert/hf/marian_mt_config.h"
#include "core/io/json_reader.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(hf_model) {
  using namespace phraseq;
  const auto [config_text, vocabulary_text] = fuzz::parts_of<2>(fuzz::text_of(data, size));
  return fuzz::check([&, config_text = config_text, vocabulary_text = vocabulary_text] {
    const auto config = parse_json(config_text, "config.json");
    fuzz::check([&] { options_from_marian_config(config, "config.json"); });
    const auto vocabulary = read_hf_vocabulary(parse_json(vocabulary_text, "vocab.json"),
                                               special_ids_of(config, "config.json"),
                                               "vocab.json");
    if (static_cast<int64_t>(vocabulary.rows.size()) != vocabulary.dictionary.size())
      throw std::logic_error("symbols without a row");
  });
}
