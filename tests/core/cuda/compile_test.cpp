#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cuda/driver.h"
#include "core/cuda/kernel_cache.h"
#include "core/cuda/nvrtc.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::cuda {
namespace {

using ::testing::HasSubstr;

#define PHRASEQ_NEED_NVRTC()                                                               \
  if (Nvrtc::find() == nullptr)                                                            \
  GTEST_SKIP() << "there is no libnvrtc; PHRASEQ_NVRTC=/path/to/libnvrtc.so.13 names one " \
                  "(of the wheel nvidia-cuda-nvrtc), and no GPU is needed"

/// The name of a kernel of the source. The cubin must contain it unmangled.
std::string function_in(const std::string& source) {
  return source == "embedding.cu"          ? "embed_backward"
         : source == "column_sums.cu"      ? "relu_dropout_backward"
         : source == "dropout.cu"          ? "relu_dropout"
         : source == "dropout_add_norm.cu" ? "dropout_add_norm_backward"
         : source == "loss.cu"             ? "cross_entropy"
         : source == "past_attention.cu"   ? "attend_to_past"
         : source == "attention.cu"        ? "attention_backward_of_sentences"
                                           : source.substr(0, source.find('.'));
}

/// All kernels for activations of `element`, in the variants that differ most.
std::vector<KernelSource> all_kernels(int element) {
  const int64_t size = element == 0 ? 4 : 2;
  std::vector<KernelSource> kernels = {
      dropout_kernel(element),
      dropout_add_norm_kernel(element, row_variant(512, size, /*is_aligned=*/true)),
      dropout_add_norm_kernel(element, row_variant(kMaxRowColumns, size, /*is_aligned=*/true)),
      dropout_add_norm_kernel(element, row_variant(kMaxRowColumns, size, /*is_aligned=*/false)),
      adam_kernel(element),
      embedding_kernel(element),
      loss_kernel(element),
      column_sums_kernel(element),
      windows_kernel(element),
      lstm_kernel(element),
      best_columns_kernel(element),
      few_rows_product_kernel(element, 8),
      past_attention_kernel(element, 8),
      past_attention_kernel(element, 64)};
  if (element != 0) {
    for (const int64_t head_dim : {int64_t{16}, int64_t{64}, kMaxHeadColumns})
      kernels.insert(
          kernels.end(),
          {attention_kernel(element, head_dim), grouped_attention_kernel(element, head_dim)});
  }
  return kernels;
}

TEST(CudaKernelSources, CompileForEveryTypeAndArchitecture) {
  PHRASEQ_NEED_NVRTC();
  size_t compiled = 0;
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    for (int element = 0; element < 3; ++element) {
      for (const KernelSource& kernel : all_kernels(element)) {
        const std::string cubin =
            Nvrtc::find()->compile(kernel.text, kernel.name, architecture, kernel.options);
        EXPECT_THAT(cubin, HasSubstr("ELF"));
        EXPECT_THAT(cubin, HasSubstr(function_in(kernel.name)));
        ++compiled;
      }
    }
  }
  EXPECT_EQ(compiled, 84u);
}

TEST(CudaKernelSources, ThatAreWrongAreReportedWithTheCompilersMessage) {
  PHRASEQ_NEED_NVRTC();
  try {
    (void)Nvrtc::find()->compile("__global__ void f() { nothing; }", "wrong.cu", "sm_90", {});
    FAIL() << "compiled";
  } catch (const PluginError& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("wrong.cu does not compile for sm_90"));
    EXPECT_THAT(failure.what(), HasSubstr("\"nothing\" is undefined"));
  }
}

class CudaKernelCache : public ::testing::Test {
 protected:
  /// Returns what the cache holds for a kernel, and whether it had to be compiled.
  std::pair<std::string, bool> get(const KernelSource& kernel,
                                   const std::string& architecture = "sm_90",
                                   const std::string& version = "13.0") {
    bool compiled = false;
    const std::string cubin = KernelCache(folder_).cubin(kernel, architecture, version, [&] {
      compiled = true;
      return "cubin of " + kernel.name + kernel.options.front() + architecture;
    });
    return {cubin, compiled};
  }

  TemporaryFolder temporary_;
  std::string folder_ = temporary_.file("cache/kernels");
};

TEST_F(CudaKernelCache, CompilesOnceForASourceItsOptionsTheArchitectureAndTheCompiler) {
  const auto first = get(adam_kernel(1));
  EXPECT_TRUE(first.second);
  const auto again = get(adam_kernel(1));
  EXPECT_FALSE(again.second);
  EXPECT_EQ(again.first, first.first);
  EXPECT_TRUE(get(adam_kernel(2)).second);
  EXPECT_TRUE(get(embedding_kernel(1)).second);
  EXPECT_TRUE(get(adam_kernel(1), "sm_80").second);
  EXPECT_TRUE(get(adam_kernel(1), "sm_90", "12.9").second);
  KernelSource changed = adam_kernel(1);
  changed.text += "\n";
  EXPECT_TRUE(get(changed).second);
  EXPECT_FALSE(get(adam_kernel(1)).second);
}

TEST_F(CudaKernelCache, CompilesAgainWhatIsDamaged) {
  const auto first = get(adam_kernel(0));
  const std::string path = KernelCache(folder_).path_of(adam_kernel(0), "sm_90", "13.0");
  const auto size = std::filesystem::file_size(path);
  for (const size_t place : {size_t{0}, size_t{20}, size_t(size) - 30, size_t(size) - 1}) {
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const auto byte = static_cast<char>(file.get() ^ 0x40);
      file.seekp(static_cast<std::streamoff>(place));
      file.put(byte);
    }
    const auto repaired = get(adam_kernel(0));
    EXPECT_TRUE(repaired.second) << "byte " << place;
    EXPECT_EQ(repaired.first, first.first);
    EXPECT_FALSE(get(adam_kernel(0)).second);
  }
  std::filesystem::resize_file(path, 7);
  EXPECT_TRUE(get(adam_kernel(0)).second);
}

TEST_F(CudaKernelCache, IsNotNeeded) {
  const KernelCache none("");
  EXPECT_EQ(none.path_of(adam_kernel(0), "sm_90", "13.0"), "");
  EXPECT_EQ(none.cubin(adam_kernel(0), "sm_90", "13.0", [] { return std::string("x"); }), "x");
  const KernelCache nowhere("/proc/no/such/folder");
  EXPECT_EQ(nowhere.cubin(adam_kernel(0), "sm_90", "13.0", [] { return std::string("y"); }), "y");
}

TEST_F(CudaKernelCache, ChoosesHowARowIsHeldByItsColumns) {
  EXPECT_EQ(row_variant(512, 2, true), (RowVariant{8, 2}));
  EXPECT_EQ(row_variant(520, 2, true), (RowVariant{8, 4}));
  EXPECT_EQ(row_variant(8, 2, true), (RowVariant{8, 1}));
  EXPECT_EQ(row_variant(512, 4, true), (RowVariant{4, 4}));
  EXPECT_EQ(row_variant(512, 2, false), (RowVariant{1, 16}));
  EXPECT_EQ(row_variant(299, 2, true), (RowVariant{1, 16}));
  EXPECT_EQ(row_variant(kMaxRowColumns, 4, false), (RowVariant{1, 64}));
}

TEST(CudaKernelLauncher, IsAvailableOnlyWithADriverAndACompiler) {
  if (KernelLauncher::available())
    EXPECT_NE(Nvrtc::find(), nullptr);
  else
    EXPECT_THROW(KernelLauncher::instance().launch(adam_kernel(0), "adam", {}, nullptr, {}),
                 PluginError);
}

}  // namespace
}  // namespace phraseq::cuda
