// A lexical table in Marian's format, from which a shortlist is made.

#include "core/phrase_memory/shortlist/lexical_table.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(lexical_table) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    read_lexical_table(
        file.path(), [](std::string_view target, std::string_view source, double probability) {
          if (target.empty() || source.empty() || !(probability >= 0 && probability <= 1))
            throw std::logic_error("an entry that is none was taken");
        });
  });
}
