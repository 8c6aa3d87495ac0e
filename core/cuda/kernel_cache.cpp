#include "core/cuda/kernel_cache.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"

namespace phraseq::cuda {
namespace {

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
