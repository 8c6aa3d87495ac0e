#include "core/text/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/line_reader.h"
#include "core/options/value_text.h"

namespace phraseq {
namespace {

constexpr int64_t kLongestVectorLine = 1 << 24;
constexpr const char* kVectorsFormatHint =
    "The first line must be: number of vectors, dimension; each other line: token and numbers, "
    "separated by single spaces. Options of the architecture set the dimension of its embeddings.";
constexpr const char* kVectorsTextHint =
    "Vectors of word2vec must be in its text format (-binary 0), in UTF-8.";

/// Works like Python's rstrip.
std::string_view without_trailing_space(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r\v\f") + 1);
}

/// Removes the text before the first space, and the space; returns the text.
std::string_view cut_first_field(std::string_view& line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  return field;
}

/// The first line of a file: "count dimension".
struct VectorsHeader {
  int64_t vectors = 0;
  int64_t dimension = 0;
};

std::optional<VectorsHeader> parse_vectors_header(std::string_view line) {
  const auto vectors = value_from_text<int64_t>(cut_first_field(line));
  const auto dimension = value_from_text<int64_t>(line);
  if (!vectors || !dimension)
    return std::nullopt;
  return VectorsHeader{*vectors, *dimension};
}

/// One pass over a file of vectors.
class VectorFile {
 public:
  VectorFile(const std::string& path, const Dictionary& dictionary, std::span<float> table)
      : reader_(path, {kLongestVectorLine, OnBadLine::kSkip}),
        dictionary_(dictionary),
        table_(table),
        dimension_(static_cast<int64_t>(table.size()) / dictionary.size()),
        found_(static_cast<size_t>(dictionary.size())) {}

  int64_t read() {
    read_header();
    while (next_line()) take_line(without_trailing_space(line_));
    warn();
    copy_to_repeated_symbols();
    return std::count(found_.begin(), found_.end(), true);
  }

 private:
  TextPlace place() const { return {reader_.path(), reader_.line_number()}; }

  bool next_line() {
    if (!reader_.next(line_))
      return false;
    if (reader_.bad())
      throw DataError(place(), fmt::format("invalid text: {}", reader_.defect()), kVectorsTextHint);
    return true;
  }

  void read_header() {
    if (!next_line())
      throw DataError(fmt::format("{} is empty", reader_.path()), kVectorsFormatHint);
    header_ = parse_vectors_header(without_trailing_space(line_));
    if (!header_) {
      log_warning(fmt::format(
          "{}: the line is skipped, as in fairseq. If it is a vector, insert 'COUNT DIMENSION' "
          "before it",
          to_string(place())));
    } else if (header_->dimension != dimension_) {
      reject_dimension(header_->dimension, "vectors have");
    }
  }

  [[noreturn]] void reject_dimension(int64_t dimension, std::string_view what) const {
    throw DataError(
        place(),
        fmt::format(
            "{} {} numbers, but the embeddings of the model have {}", what, dimension, dimension_),
        kVectorsFormatHint);
  }

  void take_line(std::string_view line) {
    if (line.empty())
      return;
    ++vectors_;
    const std::string_view token = cut_first_field(line);
    const int64_t spaces = std::count(line.begin(), line.end(), ' ');
    const int64_t numbers = line.empty() ? 0 : spaces + 1;
    if (numbers != dimension_)
      reject_dimension(numbers, fmt::format("'{}' has", token));
    if (dictionary_.contains(token))
      take_vector(token, line);
  }

  void take_vector(std::string_view token, std::string_view numbers) {
    const int64_t id = dictionary_.id(token);
    for (float& element : row(id)) element = parse_element(cut_first_field(numbers), token);
    if (found_[static_cast<size_t>(id)])
      ++repeated_;
    found_[static_cast<size_t>(id)] = true;
  }

  float parse_element(std::string_view text, std::string_view token) const {
    const auto value = value_from_text<double>(text);
    const auto number = static_cast<float>(value.value_or(NAN));
    if (!std::isfinite(number)) {
      throw DataError(place(),
                      fmt::format("'{}' in the vector of '{}' is not a finite number", text, token),
                      kVectorsFormatHint);
    }
    return number;
  }

  std::span<float> row(int64_t id) const {
    return table_.subspan(static_cast<size_t>(id * dimension_), static_cast<size_t>(dimension_));
  }

  /// Copies vectors to the earlier ids of symbols that the dictionary has twice: looking up a
  /// symbol finds only its last id.
  void copy_to_repeated_symbols() {
    for (int64_t id = 0; id < dictionary_.size(); ++id) {
      const int64_t last = dictionary_.id(dictionary_.symbol(id));
      if (last == id || !found_[static_cast<size_t>(last)])
        continue;
      std::ranges::copy(row(last), row(id).begin());
      found_[static_cast<size_t>(id)] = true;
    }
  }

  void warn() const {
    if (header_ && header_->vectors != vectors_) {
      log_warning(fmt::format("{}: the first line announces {} vectors, but there are {}",
                              reader_.path(),
                              header_->vectors,
                              vectors_));
    }
    if (repeated_ > 0) {
      log_warning(fmt::format("{}: {} vectors are replaced by later ones of the same token",
                              reader_.path(),
                              repeated_));
    }
  }

  LineReader reader_;
  const Dictionary& dictionary_;
  std::span<float> table_;
  int64_t dimension_;
  std::vector<bool> found_;
  std::string line_;
  std::optional<VectorsHeader> header_;
  int64_t vectors_ = 0;
  int64_t repeated_ = 0;
};

}  // namespace

int64_t read_word_vectors(const std::string& path,
                          const Dictionary& dictionary,
                          std::span<float> table) {
  return VectorFile(path, dictionary, table).read();
}

}  // namespace phraseq
