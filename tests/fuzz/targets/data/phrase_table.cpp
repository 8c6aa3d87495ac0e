// A phrase table. A table that was read must be the same after it is written and read again.

#include "core/phrase_memory/table/phrase_table.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(phrase_table) {
  using namespace phraseq;
  return fuzz::check([&] {
    const PhraseTable table = PhraseTable::parse(fuzz::text_of(data, size), "table");
    const std::string text = table.text();
    if (PhraseTable::parse(text, "table").text() != text)
      throw std::logic_error("the table changes when it is written and read");
  });
}
