#include "core/serve/metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// The value of a label, with escapes for backslashes, quotes and line ends.
std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"')
      text += '\\';
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text;
}

std::string heading(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

/// A metric with one line per model.
template <class Value>
std::string per_model(const std::vector<ServedModel>& models,
                      const char* name,
                      const char* type,
                      const char* help,
                      const Value& value) {
  std::string text = heading(name, type, help);
  for (const ServedModel& model : models)
    text += fmt::format("{}{{model=\"{}\"}} {}\n", name, escaped(model.name), value(model.figures));
  return text;
}

std::string model_text(const std::vector<ServedModel>& models) {
  using Figures = const QueueFigures&;
  return per_model(models,
                   "phraseq_requests_waiting",
                   "gauge",
                   "Requests that were accepted and not yet answered.",
                   [](Figures figures) { return figures.waiting; }) +
         per_model(models,
                   "phraseq_batches_total",
                   "counter",
                   "Translated batches of sentences that were waiting at the same time.",
                   [](Figures figures) { return figures.rounds; }) +
         per_model(models,
                   "phraseq_sentences_total",
                   "counter",
                   "Sentences translated.",
                   [](Figures figures) { return figures.sentences; }) +
         per_model(models,
                   "phraseq_source_tokens_total",
                   "counter",
                   "Source tokens translated.",
                   [](Figures figures) { return figures.source_tokens; }) +
         per_model(models,
                   "phraseq_translation_seconds_total",
                   "counter",
                   "Time spent in translation.",
                   [](Figures figures) { return figures.seconds; });
}

}  // namespace

void ServerMetrics::count_request(const std::string& route,
                                  int status,
                                  std::optional<double> seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  if (!seconds)
    return;
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), *seconds);
  ++buckets_[static_cast<size_t>(bucket - kBounds.begin())];
  seconds_ += *seconds;
  ++timed_;
}

void ServerMetrics::count_reload(bool succeeded) {
  const std::lock_guard lock(mutex_);
  ++(succeeded ? reloads_ : failed_reloads_);
}

std::string ServerMetrics::text(const std::vector<ServedModel>& models, int64_t connections) const {
  const std::lock_guard lock(mutex_);
  std::string text =
      heading("phraseq_http_requests_total", "counter", "Requests by route and status.");
  for (const auto& [key, count] : requests_)
    text += fmt::format("phraseq_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                        escaped(key.first),
                        key.second,
                        count);
  text +=
      heading("phraseq_http_request_seconds", "histogram", "Time from a request to its response.");
  int64_t below = 0;
  for (size_t i = 0; i < kBounds.size(); ++i) {
    below += buckets_[i];
    text += fmt::format("phraseq_http_request_seconds_bucket{{le=\"{}\"}} {}\n", kBounds[i], below);
  }
  text += fmt::format("phraseq_http_request_seconds_bucket{{le=\"+Inf\"}} {}\n", timed_);
  text += fmt::format("phraseq_http_request_seconds_sum {}\n", seconds_);
  text += fmt::format("phraseq_http_request_seconds_count {}\n", timed_);
  text += heading("phraseq_http_connections", "gauge", "Open connections.");
  text += fmt::format("phraseq_http_connections {}\n", connections);
  text += heading("phraseq_reloads_total", "counter", "Reloads of the models by result.");
  text += fmt::format("phraseq_reloads_total{{result=\"ok\"}} {}\n", reloads_);
  text += fmt::format("phraseq_reloads_total{{result=\"failed\"}} {}\n", failed_reloads_);
  return text + model_text(models);
}

}  // namespace phraseq
