#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The decoder's cell: one GRU, or one GRU before and one after the attention (conditional GRU).
enum class DecoderCell { kGru, kConditionalGru };
/// The state that the readout reads: the new one, or the previous one, as printed in the paper.
enum class ReadoutState { kNew, kOld };
/// How attention keeps track of the source words that were translated (Tu et al. 2016): a recurrent
/// vector for each word, or the sum of its weights.
enum class CoverageModel { kNeural, kLinguistic, kNone };

inline constexpr EnumName<DecoderCell> kDecoderCellNames[] = {
    {"gru", DecoderCell::kGru}, {"cgru", DecoderCell::kConditionalGru}};
inline constexpr EnumName<ReadoutState> kReadoutStateNames[] = {{"new", ReadoutState::kNew},
                                                                {"old", ReadoutState::kOld}};
inline constexpr EnumName<CoverageModel> kCoverageModelNames[] = {
    {"neural", CoverageModel::kNeural},
    {"linguistic", CoverageModel::kLinguistic},
    {"none", CoverageModel::kNone}};

/// The switches of RNNsearch (Bahdanau et al. 2015, as in dl4mt) and of its coverage (Tu et al.
/// 2016); the defaults are those of Tang et al. 2016.
struct PHRASEQ_API RecurrentOptions : Options {
  int64_t embed_dim = 620;
  int64_t hidden = 1000;
  double dropout = 0.0;  ///< on the readout
  DecoderCell decoder_cell = DecoderCell::kGru;
  ReadoutState readout_state = ReadoutState::kNew;
  CoverageModel coverage = CoverageModel::kNeural;
  int64_t coverage_dim = 10;
  bool coverage_gate = true;
  double fertility = 0.0;
  double init_deviation = 0.01;
  int64_t max_source_positions = 1024;
  int64_t max_target_positions = 1024;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> without_effect() const override;

  bool two_cells() const { return decoder_cell == DecoderCell::kConditionalGru; }
  bool has_coverage() const { return coverage != CoverageModel::kNone; }
  bool linguistic() const { return coverage == CoverageModel::kLinguistic; }
  /// The number of coverage values at each source token.
  int64_t coverage_width() const { return linguistic() ? 1 : coverage_dim; }
};

}  // namespace phraseq::nn
