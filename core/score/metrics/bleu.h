#pragma once

#include <optional>
#include <string>

#include "core/score/metrics/metric.h"
#include "core/score/tokenizers/bleu_tokenizer.h"

namespace phraseq::score {

/// The smoothed precision that replaces m_n / t_n of order n; v is the smooth value (sacrebleu,
/// Chen and Cherry 2014).
enum class Smoothing {
  kNone,   ///< unchanged: the score is 0 if one precision is 0
  kFloor,  ///< v / t_n if m_n = 0
  kAddK,   ///< (m_n + v) / (t_n + v) for n > 1
  kExp,    ///< 1 / (2^k · t_n) for the k-th order with m_n = 0
};

inline constexpr EnumName<Smoothing> kSmoothingNames[] = {{"none", Smoothing::kNone},
                                                          {"floor", Smoothing::kFloor},
                                                          {"add-k", Smoothing::kAddK},
                                                          {"exp", Smoothing::kExp}};

/// The settings of BLEU; the defaults are sacrebleu's.
struct BleuSettings {
  Smoothing smoothing = Smoothing::kExp;
  /// By default, 0.1 for floor and 1 for add-k; the other methods have none.
  std::optional<double> smooth_value = std::nullopt;
  std::string tokenizer = "13a";
  std::string tokenizer_model = {};  ///< SentencePiece model of the spm family
  bool lowercase = false;
  /// Average only over the orders that the sentence is long enough for.
  bool effective_order = false;
  int max_order = 4;
  std::string name = "BLEU";
  /// Compare lengths with the shortest reference, not the closest.
  bool shortest_reference = false;
  /// Work on bytes as Perl scripts do: lowercase only ASCII letters and split only at ASCII
  /// whitespace.
  bool bytes = false;
};

/// multi-bleu.perl of Moses: text that is already tokenized, no smoothing, cased unless
/// `lowercase`.
PHRASEQ_API BleuSettings multi_bleu_settings(bool lowercase);

/// mteval-v11b.pl of NIST: 13a's rules, shortest reference length, no smoothing; case counts only
/// if `preserve_case`.
PHRASEQ_API BleuSettings mteval_v11b_settings(bool preserve_case);

/// The components of a BLEU score, and the score.
struct BleuParts {
  double score = 0;
  double brevity_penalty = 0;
  std::vector<double> precisions;  ///< in percent
};

/// BLEU of Papineni et al. (2002) with sacrebleu's smoothing, effective order and corner cases:
///
///   100 · exp(min(0, 1 - ref_len / hyp_len)) · exp(1/N · sum_n log p_n)
///
/// where ref_len is the sum, over the sentences, of the reference length closest to the
/// hypothesis's (the shorter of two equally close). Regardless of smoothing, the score is 0 if no
/// n-gram of any order matches; that of a perfect match may be 100.00000000000004, as in sacrebleu.
class PHRASEQ_API Bleu : public Metric {
 public:
  explicit Bleu(BleuSettings settings);

  std::string name() const override { return settings_.name; }
  /// hypothesis length, reference length, matches by order, totals by order.
  size_t statistics() const override { return 2 + 2 * static_cast<size_t>(settings_.max_order); }
  void measure(std::string_view hypothesis,
               std::span<const std::string_view> references,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  double score_single(std::span<const float> sums) const override;
  ResamplePrecision resample_precision() const override { return ResamplePrecision::kSingleSums; }
  std::string detail(std::span<const double> sums) const override;
  std::vector<SignatureField> signature() const override;

  BleuParts parts(std::span<const double> sums) const;

 private:
  std::string prepare(std::string_view line) const;
  std::vector<std::string_view> words_of(std::string_view text) const;

  BleuSettings settings_;
  BleuTokenizer tokenizer_;
};

}  // namespace phraseq::score
