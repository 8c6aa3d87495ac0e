#include "core/distributed/agreement.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/first_items.h"

namespace phraseq {
namespace {

constexpr size_t kMaxShown = 10;

std::string value_text(const nlohmann::json& flat, const std::string& name) {
  return flat.contains(name) ? flat.at(name).dump() : "not there";
}

/// "options/lr" of the pointer "/options/lr".
std::string readable(const std::string& pointer) { return pointer.substr(1); }

/// One line for each entry in which two flat objects differ.
std::vector<std::string> differences_of(const nlohmann::json& first,
                                        const nlohmann::json& other,
                                        size_t rank) {
  nlohmann::json names = first;
  names.update(other);
  std::vector<std::string> found;
  for (const auto& [name, unused] : names.items()) {
    const std::string a = value_text(first, name);
    const std::string b = value_text(other, name);
    if (a != b)
      found.push_back(fmt::format("{}: {} on rank 0, {} on rank {}", readable(name), a, b, rank));
  }
  return found;
}

}  // namespace

void require_agreement(ProcessGroup& processes, const nlohmann::json& mine) {
  const auto texts = processes.all_texts(mine.dump());
  const auto first = nlohmann::json::parse(texts.front()).flatten();
  std::vector<std::string> found;
  for (size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] == texts.front())
      continue;
    for (std::string& line :
         differences_of(first, nlohmann::json::parse(texts[rank]).flatten(), rank))
      found.push_back(std::move(line));
  }
  if (found.empty())
    return;
  throw UsageError(fmt::format("the processes of this run differ:\n  - {}",
                               first_items(found, kMaxShown, "\n  - ")),
                   "Start all processes with the same program, plugins, options and data.");
}

}  // namespace phraseq
