#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// The options of Adafactor, with fairseq's names; see its equations.
struct PHRASEQ_API AdafactorOptions : Options {
  std::vector<double> adafactor_eps = {1e-30, 1e-3};
  double clip_threshold = 1.0;
  double decay_rate = -0.8;
  double beta1 = 0.0;  ///< 0 = no first moment
  double weight_decay = 0.0;
  bool scale_parameter = false;
  bool relative_step = false;
  bool warmup_init = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Adafactor (Shazeer & Stern 2018) as in fairseq. The second moment of a matrix is stored as the
/// means of its rows and columns; that of a vector is stored in full. At update t:
///
///   β2 = 1 - t^decay_rate,  V = β2 V + (1-β2)(g² + eps1),  u = g / √V
///   u = lr' · u / max(1, rms(u) / clip_threshold),  p = (1 - lr'·wd) p - u (or its mean, with β1)
///
/// lr' is the scheduler's rate; with relative-step min(1e-2, 1/√t), or min(1e-6 t, 1/√t) with
/// warmup-init; with scale-parameter times max(eps2, rms(p)). If the rate is the scheduler's,
/// fairseq also multiplies it by the scales of all parameters before this one; the paper does not.
class PHRASEQ_API Adafactor final : public Optimizer {
 public:
  Adafactor(const AdafactorOptions& options, const OptimizerSetup& setup);
  void step(double learning_rate, double gradient_scale) override;
  std::map<std::string, at::Tensor> state() override;

 private:
  /// One parameter with the views of its state in the flat buffers.
  struct Part {
    at::Tensor value, gradient;
    at::Tensor rows, columns;  // of a matrix: [..., rows] and [..., columns]
    at::Tensor squares;        // of a vector
    at::Tensor mean;           // with beta1
  };

  /// Elements of the state's buffers.
  struct Extent {
    int64_t rows = 0, columns = 0, squares = 0;
    void add(const at::Tensor& parameter);
  };

  Part part_of(const nn::FlatParameters::Entry& entry, Extent& used) const;
  void step_part(Part& part, double learning_rate, double gradient_scale);
  double rate_of(const Part& part, double learning_rate) const;
  at::Tensor normalized(Part& part, const at::Tensor& gradient) const;

  AdafactorOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor rows_, columns_, squares_, means_;
  std::vector<Part> parts_;
};

}  // namespace phraseq
