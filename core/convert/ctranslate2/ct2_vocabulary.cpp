#include "core/convert/ctranslate2/ct2_vocabulary.h"

#include <array>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

}  // namespace

ForeignVocabulary read_ct2_vocabulary(const fs::path& folder, const std::string& side) {
  const fs::path shared = folder / "shared_vocabulary.json";
  const fs::path path = fs::exists(shared) ? shared : folder / (side + "_vocabulary.json");
  const auto document = parse_json(read_file(path.string()), path.string());
  const auto symbols = JsonEntry(document, path.string()).texts();

  const int64_t blank = row_of_symbol(symbols, "<blank>");
  const std::array<int64_t, 4> specials = {row_of_symbol(symbols, "<s>"),
                                           blank >= 0 ? blank : row_of_symbol(symbols, "<pad>"),
                                           row_of_symbol(symbols, "</s>"),
                                           row_of_symbol(symbols, "<unk>")};
  if (specials[kEos] < 0 || specials[kUnk] < 0)
    throw FormatError(fmt::format("{}: there is no symbol </s> or no symbol <unk>", path.string()));
  return order_symbols(symbols, specials, path.string());
}

}  // namespace phraseq
