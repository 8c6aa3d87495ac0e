#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::plot {

/// How long a run has trained, over all processes of a resumed run.
struct TrainingTime {
  double hours = 0;
  double processor_hours = 0;  ///< of all threads; NaN if not in the file
};

/// One number of metrics.jsonl and when it was measured.
struct Measurement {
  double updates = 0;
  double epochs = 0;  ///< finished epochs, including the share of the current one
  TrainingTime time;
  double value = 0;  ///< NaN if the file has null: the number was not finite
};

using Measurements = std::map<std::string, std::vector<Measurement>>;  ///< by key of the file

/// The measurements of a run, as docs/formats/metrics.md describes them, sorted by updates. If a
/// resumed run repeated updates, only the repetition counts.
struct RunMetrics {
  std::string path;              ///< of the file
  Measurements intervals;        ///< every --log-interval updates
  Measurements epochs;           ///< at the end of each epoch
  Measurements validations;      ///< scores by their names, such as "BLEU"
  std::set<std::string> scores;  ///< names of scores among the validations
  int64_t bad_lines = 0;         ///< lines that are not the JSON object of an event; left out
  int64_t first_bad_line = 0;    ///< from 1

  bool is_empty() const { return intervals.empty() && epochs.empty() && validations.empty(); }
};

/// `run` is a save folder or the path of a metrics.jsonl. A line that was truncated when a process
/// died is skipped and counted. Throws IoError if there is no such file, and DataError if none of
/// its lines contains an event.
PHRASEQ_API RunMetrics read_run_metrics(const std::string& run);

/// "run/metrics.jsonl:7: …" about lines that were left out, or an empty string.
PHRASEQ_API std::string bad_lines_text(const RunMetrics& metrics);

}  // namespace phraseq::plot
