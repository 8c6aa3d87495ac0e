#include "core/cuda/kernel_cache.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <phraseq/cuda_sources.h>

#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"

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

std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string default_folder() {
  if (std::string folder = environment_text("PHRASEQ_CUDA_CACHE"); !folder.empty())
    return folder;
  if (const std::string cache = environment_text("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/phraseq/cuda";
  const std::string home = environment_text("HOME");
  return home.empty() ? std::string() : home + "/.cache/phraseq/cuda";
}

/// The 64-bit FNV-1a hash, for names of files; it does not protect against attacks.
uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

/// Everything that the cubin depends on, in a form in which the parts cannot be confused.
std::string key_of(const KernelSource& kernel,
                   const std::string& architecture,
                   const std::string& version) {
  std::string key = fmt::format("{} {} {}\n", architecture, version, kernel.options.size());
  for (const std::string& option : kernel.options) key += option + "\n";
  return key + kernel.text;
}

uint32_t checksum(const std::string& text) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())));
}

// A file contains the key's length, the key, the cubin, and the CRC-32C of all these, so that a
// collision of hashes or a damaged file is detected.
std::string packed(const std::string& key, const std::string& cubin) {
  const uint64_t length = key.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += key + cubin;
  const uint32_t sum = checksum(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

std::optional<std::string> unpacked(std::string bytes, const std::string& key) {
  uint64_t length = 0;
  uint32_t sum = 0;
  if (bytes.size() < sizeof length + sizeof sum)
    return std::nullopt;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  bytes.resize(bytes.size() - sizeof sum);
  std::memcpy(&length, bytes.data(), sizeof length);
  const bool whole = checksum(bytes) == sum && length == key.size() &&
                     bytes.size() > sizeof length + key.size() &&
                     bytes.compare(sizeof length, key.size(), key) == 0;
  return whole ? std::optional(bytes.substr(sizeof length + key.size())) : std::nullopt;
}

std::optional<std::string> read_cubin(const std::string& path, const std::string& key) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return std::nullopt;
  return unpacked({std::istreambuf_iterator<char>(stream), {}}, key);
}

void keep(const std::string& path, const std::string& bytes) {
  try {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_file(path, bytes);
  } catch (const std::exception&) {
    // The kernel will be compiled again in the next run.
  }
}

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

KernelCache::KernelCache() : KernelCache(default_folder()) {}
KernelCache::KernelCache(std::string folder) : folder_(std::move(folder)) {}

std::string KernelCache::path_of(const KernelSource& kernel,
                                 const std::string& architecture,
                                 const std::string& compiler_version) const {
  if (folder_.empty())
    return {};
  const std::string key = key_of(kernel, architecture, compiler_version);
  return fmt::format("{}/{}-{}-{:016x}.cubin", folder_, kernel.name, architecture, hash_of(key));
}

std::string KernelCache::cubin(const KernelSource& kernel,
                               const std::string& architecture,
                               const std::string& compiler_version,
                               const Compile& compile) const {
  const std::string path = path_of(kernel, architecture, compiler_version);
  const std::string key = key_of(kernel, architecture, compiler_version);
  if (auto kept = path.empty() ? std::nullopt : read_cubin(path, key))
    return *kept;
  std::string cubin = compile();
  if (!path.empty())
    keep(path, packed(key, cubin));
  return cubin;
}

}  // namespace phraseq::cuda
