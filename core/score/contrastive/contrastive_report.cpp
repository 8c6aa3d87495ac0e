#include "core/score/contrastive/contrastive_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/text_fields.h"

namespace phraseq::score {
namespace {

constexpr double kNormal95 = 1.959963984540054;

/// The half-width and the middle of Wilson's interval.
std::pair<double, double> wilson(const Accuracy& accuracy) {
  const auto n = static_cast<double>(accuracy.pairs);
  const double p = accuracy.value(), z2 = kNormal95 * kNormal95;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal95 / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {middle, half};
}

/// The indices of some pairs in a set.
using Members = std::vector<size_t>;

Accuracy count(const ContrastiveSystem& system, const Members& members) {
  Accuracy accuracy;
  accuracy.pairs = members.size();
  for (const size_t pair : members) {
    accuracy.right += system.scores[pair].right() ? 1 : 0;
    accuracy.ties += system.scores[pair].tie() ? 1 : 0;
  }
  return accuracy;
}

double compare(const ContrastiveSystem& first,
               const ContrastiveSystem& second,
               const Members& members) {
  size_t only_first = 0, only_second = 0;
  for (const size_t pair : members) {
    const bool one = first.scores[pair].right(), other = second.scores[pair].right();
    only_first += one && !other ? 1 : 0;
    only_second += other && !one ? 1 : 0;
  }
  return mcnemar_test(only_first, only_second);
}

AccuracyRow make_row(std::string name,
                     const std::vector<ContrastiveSystem>& systems,
                     const Members& members) {
  AccuracyRow row;
  row.name = std::move(name);
  row.pairs = members.size();
  if (members.empty())
    return row;
  for (const auto& system : systems) {
    row.systems.push_back(count(system, members));
    if (&system != &systems.front())
      row.systems.back().p_value = compare(systems.front(), system, members);
  }
  return row;
}

/// The order of group names: numbers first, by value, then other names, by their bytes.
bool comes_before(const std::string& a, const std::string& b) {
  const auto first = number_in<int64_t>(a), second = number_in<int64_t>(b);
  if (first && second && *first != *second)
    return *first < *second;
  if (first.has_value() != second.has_value())
    return first.has_value();
  return a < b;
}

AccuracyTable by_group(const ContrastiveSet& set,
                       const std::vector<ContrastiveSystem>& systems,
                       size_t column) {
  std::vector<std::string> names;
  for (const auto& pair : set.pairs) names.push_back(pair.groups[column]);
  std::sort(names.begin(), names.end(), comes_before);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  AccuracyTable table{set.group_columns[column], false, {}};
  for (const auto& name : names) {
    if (name.empty())
      continue;
    Members members;
    for (size_t pair = 0; pair < set.pairs.size(); ++pair) {
      if (set.pairs[pair].groups[column] == name)
        members.push_back(pair);
    }
    table.rows.push_back(make_row(name, systems, members));
  }
  return table;
}

std::string range_name(const std::optional<int64_t>& from, const std::optional<int64_t>& to) {
  if (!from)
    return to ? fmt::format("<{}", *to) : "any";
  if (!to)
    return fmt::format(">{}", *from - 1);
  return *to - 1 == *from ? std::to_string(*from) : fmt::format("{} to {}", *from, *to - 1);
}

AccuracyTable by_distance(const ContrastiveSet& set,
                          const std::vector<ContrastiveSystem>& systems,
                          const std::vector<int64_t>& edges) {
  AccuracyTable table{set.distance_column, true, {}};
  for (size_t range = 0; range <= edges.size(); ++range) {
    std::optional<int64_t> from, to;
    if (range > 0)
      from = edges[range - 1];
    if (range < edges.size())
      to = edges[range];
    Members members;
    for (size_t pair = 0; pair < set.pairs.size(); ++pair) {
      const auto& distance = set.pairs[pair].distance;
      if (distance && (!from || *distance >= *from) && (!to || *distance < *to))
        members.push_back(pair);
    }
    AccuracyRow row = make_row(range_name(from, to), systems, members);
    row.from = from;
    row.to = to;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

double Accuracy::low() const {
  const auto [middle, half] = wilson(*this);
  return std::max(0.0, middle - half);
}

double Accuracy::high() const {
  const auto [middle, half] = wilson(*this);
  return std::min(1.0, middle + half);
}

double mcnemar_test(size_t first, size_t second) {
  const auto n = static_cast<double>(first + second);
  const size_t fewer = std::min(first, second);
  double chance = 0;
  for (size_t k = 0; k <= fewer; ++k) {
    const auto chosen = static_cast<double>(k);
    chance += std::exp(std::lgamma(n + 1) - std::lgamma(chosen + 1) - std::lgamma(n - chosen + 1) -
                       n * std::log(2.0));
  }
  return std::min(1.0, 2 * chance);
}

ContrastiveReport evaluate_contrastive(const ContrastiveSet& set,
                                       const std::vector<ContrastiveSystem>& systems,
                                       const std::vector<int64_t>& edges) {
  ContrastiveReport report;
  report.path = set.path;
  for (const auto& system : systems) report.systems.push_back(system.name);
  Members everything(set.pairs.size());
  for (size_t pair = 0; pair < everything.size(); ++pair) everything[pair] = pair;
  report.all = make_row("all", systems, everything);
  for (size_t column = 0; column < set.group_columns.size(); ++column)
    report.tables.push_back(by_group(set, systems, column));
  if (!set.distance_column.empty())
    report.tables.push_back(by_distance(set, systems, edges));
  return report;
}

}  // namespace phraseq::score
