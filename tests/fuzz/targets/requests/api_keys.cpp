// The file of API keys of phraseq serve; the same bytes are also the key of a client.

#include "core/serve/api_keys.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(api_keys) {
  using namespace phraseq;
  const auto text = fuzz::text_of(data, size);
  const fuzz::FileInMemory file(text);
  return fuzz::check([&] {
    const ApiKeys keys(file.path());
    if (keys.contains("") || keys.contains("#"))
      throw std::logic_error("an empty key or a comment admits a client");
    keys.contains(text);
  });
}
