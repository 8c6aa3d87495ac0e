// A shard of text with its seal. A seal that was read must be written as the same text.

#include "core/corpus/shards/shard_seal.h"

#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(shard_seal) {
  using namespace phraseq;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  return fuzz::check([&] {
    const std::string line = ShardSeal::read(file.path()).line();
    const fuzz::FileInMemory again(line);
    if (ShardSeal::read(again.path()).line() != line)
      throw std::logic_error("the seal changes when it is written and read");
  });
}
