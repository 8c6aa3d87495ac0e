#include "core/convert/ctranslate2/ct2_variables.h"

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr uint32_t kBinaryVersion = 6;
constexpr size_t kMaxFieldBytes = 64;  ///< what numbers take next to a variable or in the header

template <class Number>
void put(std::string& out, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i)
    out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

void put_text(std::string& out, const std::string& text) {
  put(out, static_cast<uint16_t>(text.size() + 1));
  out.append(text).push_back('\0');
}

uint32_t checked_size(const std::string& name, const std::string& bytes) {
  if (bytes.size() > std::numeric_limits<uint32_t>::max())
    throw UsageError(fmt::format("{} is too large for a CTranslate2 model", name));
  return static_cast<uint32_t>(bytes.size());
}

}  // namespace

void Ct2Variables::add_int8(const std::string& name, int8_t value) {
  variables_[name] = {Type::kInt8, {}, std::string(1, static_cast<char>(value))};
}

void Ct2Variables::add_int16(const std::string& name, int16_t value) {
  Variable variable{Type::kInt16, {}, {}};
  put(variable.bytes, static_cast<uint16_t>(value));
  variables_[name] = std::move(variable);
}

void Ct2Variables::add_floats(const std::string& name,
                              std::vector<int64_t> shape,
                              const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  variables_[name] = {Type::kFloat32,
                      std::move(shape),
                      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

void Ct2Variables::put_variable(std::string& file,
                                const std::string& name,
                                const Variable& variable) {
  put_text(file, name);
  put(file, static_cast<uint8_t>(variable.shape.size()));
  for (const int64_t extent : variable.shape) put(file, static_cast<uint32_t>(extent));
  put(file, static_cast<uint8_t>(variable.type));
  put(file, checked_size(name, variable.bytes));
  file += variable.bytes;
}

std::string Ct2Variables::serialize(const std::string& specification, uint32_t revision) const {
  const auto by_value = [](const Variable* one, const Variable* other) { return *one < *other; };
  // The name of the first variable with that value.
  std::map<const Variable*, const std::string*, decltype(by_value)> first(by_value);
  std::vector<std::pair<const std::string*, const Variable*>> written;
  std::string aliases;
  uint32_t alias_count = 0;
  size_t size = 0;
  for (const auto& [name, variable] : variables_) {
    const auto [known, is_new] = first.emplace(&variable, &name);
    if (!is_new && !variable.shape.empty()) {
      put_text(aliases, name);
      put_text(aliases, *known->second);
      ++alias_count;
      continue;
    }
    written.emplace_back(&name, &variable);
    size += name.size() + variable.bytes.size() + kMaxFieldBytes;
  }
  std::string file;
  file.reserve(size + specification.size() + aliases.size() + kMaxFieldBytes);
  put(file, kBinaryVersion);
  put_text(file, specification);
  put(file, revision);
  put(file, static_cast<uint32_t>(written.size()));
  for (const auto& [name, variable] : written) put_variable(file, *name, *variable);
  put(file, alias_count);
  file += aliases;
  return file;
}

}  // namespace phraseq
