#include "core/convert/hf/hf_vocabulary.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// The symbols by id.
std::vector<std::string> symbols_by_id(const json& vocabulary, const std::string& path) {
  const auto members = JsonEntry(vocabulary, path).members();
  const auto count = static_cast<int64_t>(members.size());
  std::vector<std::string> symbols(members.size());
  std::vector<bool> seen(members.size(), false);
  for (const auto& [symbol, entry] : members) {
    const auto id = static_cast<size_t>(entry.whole_number(0, count - 1));
    if (seen[id])
      throw FormatError(fmt::format("{}: two symbols have the id {}", path, id));
    seen[id] = true;
    symbols[id] = symbol;
  }
  return symbols;
}

void check_id(int64_t id, const char* name, size_t count, const std::string& path) {
  if (id < 0 || id >= static_cast<int64_t>(count)) {
    throw FormatError(fmt::format("{}: {} is {}, but there are {} symbols", path, name, id, count));
  }
}

}  // namespace

HfVocabulary read_hf_vocabulary(const json& vocabulary,
                                const HfSpecialIds& special,
                                const std::string& path) {
  const auto symbols = symbols_by_id(vocabulary, path);
  check_id(special.eos, "eos_token_id", symbols.size(), path);
  check_id(special.pad, "pad_token_id", symbols.size(), path);
  check_id(special.decoder_start, "decoder_start_token_id", symbols.size(), path);
  const int64_t unknown = row_of_symbol(symbols, "<unk>"), begin = row_of_symbol(symbols, "<s>");
  if (unknown < 0)
    throw FormatError(fmt::format("{}: there is no symbol <unk>", path));

  HfVocabulary made;
  made.has_bos = begin >= 0;
  made.starts_with_eos = special.decoder_start == special.eos;
  if (made.has_bos && !made.starts_with_eos && special.decoder_start != begin) {
    throw FormatError(
        fmt::format("{}: decoding starts from '{}', although there is a symbol <s>; not supported",
                    path,
                    excerpt(symbols[static_cast<size_t>(special.decoder_start)])));
  }
  const std::array<int64_t, 4> specials = {begin, special.pad, special.eos, unknown};
  static_cast<ForeignVocabulary&>(made) = order_symbols(symbols, specials, path);
  if (!made.has_bos)
    made.rows[kBos] = made.starts_with_eos ? special.pad : special.decoder_start;
  return made;
}

}  // namespace phraseq
