#include "core/cuda/kernel_sources.h"

#include <array>
#include <bit>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <phraseq/cuda_sources.h>

namespace phraseq::cuda {
namespace {

KernelSource kernel_of(const char* name, const std::string& text, int element) {
  return {name, kCommonSource + text, {fmt::format("-DPHRASEQ_ELEMENT={}", element)}};
}

/// The sources of a kernel for each type of activations.
struct Sources {
  std::array<KernelSource, 3> of_elements;

  Sources(const char* name, const char* text)
      : of_elements{kernel_of(name, text, 0), kernel_of(name, text, 1), kernel_of(name, text, 2)} {}
  const KernelSource& of(int element) const { return of_elements.at(static_cast<size_t>(element)); }
};

/// Sources with additional options, each made when it is first needed.
class Variants {
 public:
  template <class Make>
  const KernelSource& of(int element, int first, int second, const Make& make) {
    const std::lock_guard lock(mutex_);
    const std::tuple key(element, first, second);
    const auto found = sources_.find(key);
    return found != sources_.end() ? found->second : sources_.emplace(key, make()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<int, int, int>, KernelSource> sources_;
};

/// The sources of a kernel for each value of a numeric option.
class NumberedSources {
 public:
  NumberedSources(const char* name, std::string text, const char* option)
      : name_(name), text_(std::move(text)), option_(option) {}
  const KernelSource& of(int element, int64_t number) {
    return variants_.of(element, static_cast<int>(number), 0, [&] {
      KernelSource source = kernel_of(name_, text_, element);
      source.options.push_back(fmt::format("-D{}={}", option_, number));
      return source;
    });
  }

 private:
  const char* name_;
  std::string text_;
  const char* option_;
  Variants variants_;
};

}  // namespace

RowVariant row_variant(int64_t columns, int64_t element_size, bool is_aligned) {
  const int64_t pack = 16 / element_size;
  const int64_t width = is_aligned && columns % pack == 0 ? pack : 1;
  const int64_t needed = (columns + 32 * width - 1) / (32 * width);
  // A power of two: few variants, each compiled when it is first used.
  return {static_cast<int>(width), static_cast<int>(std::bit_ceil(static_cast<uint64_t>(needed)))};
}

const KernelSource& dropout_kernel(int element) {
  static const Sources sources("dropout.cu", kDropoutSource);
  return sources.of(element);
}

const KernelSource& dropout_add_norm_kernel(int element, RowVariant variant) {
  static Variants variants;
  return variants.of(element, variant.width, variant.packs, [&] {
    KernelSource source = kernel_of("dropout_add_norm.cu", kDropoutAddNormSource, element);
    source.options.push_back(fmt::format("-DPHRASEQ_WIDTH={}", variant.width));
    source.options.push_back(fmt::format("-DPHRASEQ_PACKS={}", variant.packs));
    return source;
  });
}

const KernelSource& attention_kernel(int element, int64_t head_dim) {
  static NumberedSources sources(
      "attention.cu",
      std::string(kTileSource) + kStagedSource + kHeadsSource + kAttentionSource,
      "PHRASEQ_HEAD_DIM");
  return sources.of(element, head_dim);
}

const KernelSource& grouped_attention_kernel(int element, int64_t head_dim) {
  static NumberedSources sources(
      "grouped_attention.cu",
      std::string(kTileSource) + kStagedSource + kHeadsSource + kGroupedAttentionSource,
      "PHRASEQ_HEAD_DIM");
  return sources.of(element, head_dim);
}

const KernelSource& windows_kernel(int element) {
  static const Sources sources("windows.cu", kWindowsSource);
  return sources.of(element);
}

const KernelSource& lstm_kernel(int element) {
  static const Sources sources("lstm.cu", kLstmSource);
  return sources.of(element);
}

const KernelSource& adam_kernel(int element) {
  static const Sources sources("adam.cu", kAdamSource);
  return sources.of(element);
}

const KernelSource& embedding_kernel(int element) {
  static const Sources sources("embedding.cu", kEmbeddingSource);
  return sources.of(element);
}

const KernelSource& loss_kernel(int element) {
  static const Sources sources("loss.cu", kLossSource);
  return sources.of(element);
}

const KernelSource& column_sums_kernel(int element) {
  static const Sources sources("column_sums.cu", kColumnSumsSource);
  return sources.of(element);
}

const KernelSource& best_columns_kernel(int element) {
  static const Sources sources("best_columns.cu", kBestColumnsSource);
  return sources.of(element);
}

const KernelSource& past_attention_kernel(int element, int64_t head_dim) {
  static NumberedSources sources("past_attention.cu", kPastAttentionSource, "PHRASEQ_HEAD_DIM");
  return sources.of(element, head_dim);
}

const KernelSource& few_rows_product_kernel(int element, int64_t rows) {
  static NumberedSources sources("few_rows_product.cu", kFewRowsProductSource, "PHRASEQ_ROWS");
  return sources.of(element, rows);
}

}  // namespace phraseq::cuda
