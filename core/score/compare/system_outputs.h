#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/report/score_input.h"
#include "core/score/significance/resampling.h"

namespace phraseq::score {

/// The outputs of one system: one file, or one for each of several trainings that differ in their
/// random seed.
struct SystemOutputs {
  std::string name;
  std::vector<std::string> files;
};

/// Parses "FILE", "FILE,FILE,…" or "NAME=FILE,…"; if `text` is the name of an existing file, it is
/// one file. Throws UsageError for an empty name or file.
PHRASEQ_API SystemOutputs parse_system_outputs(const std::string& text);
/// The same for several texts.
PHRASEQ_API std::vector<SystemOutputs> parse_systems(const std::vector<std::string>& texts);

/// The files of all systems, in order.
PHRASEQ_API std::vector<std::string> all_files(const std::vector<SystemOutputs>& systems);

/// The first output of each system, under the system's name. `input` has the outputs of all systems
/// in order.
PHRASEQ_API ScoreInput first_outputs(const ScoreInput& input,
                                     const std::vector<SystemOutputs>& systems);

/// The score of a system with several outputs: their mean. In each resample of the sentences, the
/// outputs are also resampled with replacement and averaged, so that the spread includes the
/// variation between seeds. The score of a single output does not change.
PHRASEQ_API BootstrappedScore combine_outputs(std::span<const BootstrappedScore> outputs,
                                              std::mt19937_64& random);

/// Sample standard deviation, with n - 1 in the denominator; 0 for a single value.
PHRASEQ_API double standard_deviation(const std::vector<double>& values);

}  // namespace phraseq::score
