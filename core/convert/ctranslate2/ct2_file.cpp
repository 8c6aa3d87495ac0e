#include "core/convert/ctranslate2/ct2_file.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

constexpr uint64_t kReadableVersion = 6;

/// CTranslate2's enumeration DataType.
constexpr std::array<DType, 6> kCt2Types = {
    DType::kF32, DType::kI8, DType::kI16, DType::kI32, DType::kF16, DType::kBF16};

}  // namespace

Ct2File::Ct2File(const std::string& path) : file_(path) {
  if (const uint64_t version = number(4); version != kReadableVersion)
    fail(fmt::format("the version is {}, not {}", version, kReadableVersion));
  specification_ = text();
  number(4);  // the revision of the specification: its variables are checked one by one
  for (uint64_t count = number(4); count > 0; --count) read_variable();
  for (uint64_t count = number(4); count > 0; --count) read_alias();
  if (position_ != file_.size())
    fail(fmt::format("{} bytes follow the last variable", file_.size() - position_));
}

void Ct2File::fail(std::string_view problem) const {
  throw FormatError(fmt::format("{}: not a readable model of CTranslate2: {}", path(), problem),
                    "Convert the original model with a current version of CTranslate2.");
}

std::span<const std::byte> Ct2File::take(uint64_t size) {
  if (size > file_.size() - position_)
    fail(fmt::format("the file ends at byte {}, within a variable", file_.size()));
  const auto taken = file_.bytes().subspan(position_, static_cast<size_t>(size));
  position_ += taken.size();
  return taken;
}

uint64_t Ct2File::number(size_t count) {
  uint64_t value = 0;
  const auto bytes = take(count);
  for (size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

/// A text with its final zero byte.
std::string Ct2File::text() {
  const auto bytes = take(number(2));
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.empty() || all.back() != '\0')
    fail("a name without an end");
  return std::string(all.substr(0, all.size() - 1));
}

void Ct2File::read_variable() {
  TensorView variable{text(), DType::kF32, {}, {}};
  uint64_t elements = 1;
  for (uint64_t rank = number(1); rank > 0; --rank) {
    const uint64_t size = number(4);
    variable.shape.push_back(static_cast<int64_t>(size));
    if (__builtin_mul_overflow(elements, size, &elements))
      fail(fmt::format("'{}' is too large", excerpt(variable.name)));
  }
  const uint64_t type = number(1);
  if (type >= kCt2Types.size())
    fail(fmt::format("'{}' has the unknown type {}", excerpt(variable.name), type));
  variable.dtype = kCt2Types[type];
  const uint64_t size = number(4);
  if (elements > file_.size() || elements * size_of(variable.dtype) != size)
    fail(fmt::format("'{}' of {} elements has {} bytes", excerpt(variable.name), elements, size));
  variable.bytes = take(size);
  const std::string name = variable.name;
  if (!variables_.emplace(name, std::move(variable)).second)
    fail(fmt::format("two variables are called '{}'", excerpt(name)));
}

void Ct2File::read_alias() {
  const std::string alias = text(), name = text();
  const auto found = variables_.find(name);
  if (found == variables_.end())
    fail(fmt::format("'{}' is an alias of '{}', which is missing", excerpt(alias), excerpt(name)));
  TensorView same = found->second;
  same.name = alias;
  if (!variables_.emplace(alias, std::move(same)).second)
    fail(fmt::format("two variables are called '{}'", excerpt(alias)));
}

}  // namespace phraseq
