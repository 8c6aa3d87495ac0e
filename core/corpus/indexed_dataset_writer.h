#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Writes the layout that IndexedDataset reads: `.bin` first, `.idx` last, both atomically. The id
/// type is chosen from the vocabulary's size as fairseq does (u16 below 65,500, u32 below 2^32 - 1,
/// otherwise i64). Memory use does not depend on the number of sentences. `add` throws DataError
/// for an id outside the vocabulary.
class PHRASEQ_API IndexedDatasetWriter {
 public:
  IndexedDatasetWriter(std::string prefix, int64_t vocabulary);
  ~IndexedDatasetWriter();
  void add(std::span<const int64_t> ids);
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
