#include "core/convert/ctranslate2/ct2_vocabulary.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

int64_t row_of_symbol(const std::vector<std::string>& symbols,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(symbols, name);
    if (found != symbols.end())
      return found - symbols.begin();
  }
  return -1;
}

}  // namespace

Ct2Vocabulary read_ct2_vocabulary(const fs::path& folder, const std::string& side) {
  const fs::path shared = folder / "shared_vocabulary.json";
  const fs::path path = fs::exists(shared) ? shared : folder / (side + "_vocabulary.json");
  const auto document = parse_json(read_file(path.string()), path.string());
  const auto symbols = JsonEntry(document, path.string()).texts();

  Ct2Vocabulary made;
  made.known = static_cast<int64_t>(symbols.size());
  made.rows = {row_of_symbol(symbols, {"<s>"}),
               row_of_symbol(symbols, {"<blank>", "<pad>"}),
               row_of_symbol(symbols, {"</s>"}),
               row_of_symbol(symbols, {"<unk>"})};
  if (made.rows[kEos] < 0 || made.rows[kUnk] < 0)
    throw FormatError(fmt::format("{}: there is no symbol </s> or no symbol <unk>", path.string()));
  std::string text;
  for (int64_t row = 0; row < made.known; ++row) {
    if (std::ranges::count(made.rows.begin(), made.rows.begin() + kUnk + 1, row) > 0)
      continue;
    const std::string& symbol = symbols[static_cast<size_t>(row)];
    if (symbol.empty() || symbol.find('\n') != std::string::npos)
      throw FormatError(fmt::format(
          "{}: '{}' cannot be a symbol of a dictionary", path.string(), excerpt(symbol)));
    text += symbol + " 1\n";
    made.rows.push_back(row);
  }
  made.dictionary = Dictionary::parse(text, path.string());
  return made;
}

}  // namespace phraseq
