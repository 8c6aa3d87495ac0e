#include "core/plugin/library_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
#error "name this processor's ELF machine number here"
#endif

/// Reads parts of a file, and throws if they are not within it.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path), stream_(path, std::ios::binary) {
    if (!stream_)
      throw IoError(path, "open", errno);
    stream_.seekg(0, std::ios::end);
    size_ = static_cast<uint64_t>(stream_.tellg());
  }

  std::string bytes(uint64_t offset, uint64_t size) {
    if (offset > size_ || size > size_ - offset)
      fail("it is damaged or truncated");
    std::string result(size, '\0');
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (!stream_.read(result.data(), static_cast<std::streamsize>(size))) {
      throw IoError(path_, "read", errno);
    }
    return result;
  }

  /// Reads a table of plain structs.
  template <class Entry>
  std::vector<Entry> table(uint64_t offset, uint64_t size) {
    const std::string raw = bytes(offset, size);
    std::vector<Entry> entries(size / sizeof(Entry));
    if (!entries.empty())
      std::memcpy(entries.data(), raw.data(), entries.size() * sizeof(Entry));
    return entries;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw PluginError(fmt::format("{}: is not a plugin: {}", path_, what),
                      "A plugin is a shared library built with phraseq_add_plugin().");
  }

  uint64_t size() const { return size_; }

 private:
  std::string path_;
  std::ifstream stream_;
  uint64_t size_ = 0;
};

Elf64_Ehdr read_header(ElfFile& file) {
  const std::string identity = file.bytes(0, std::min<uint64_t>(file.size(), EI_NIDENT));
  if (!identity.starts_with(ELFMAG))
    file.fail("it is not an ELF shared library");
  if (identity.size() < EI_NIDENT)
    file.fail("it is damaged or truncated");
  if (identity[EI_CLASS] != ELFCLASS64)
    file.fail("it is a 32-bit library, expected 64 bits");
  const auto header = file.table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr)).front();
  if (header.e_type != ET_DYN)
    file.fail("it is an ELF file, but not a shared library");
  if (header.e_machine != kMachine)
    file.fail("it was built for another processor architecture");
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    file.fail("its section table is damaged");
  return header;
}

/// The string at `offset` in the string table `strings`.
std::string name_at(const ElfFile& file, const std::string& strings, uint64_t offset) {
  const size_t end = offset < strings.size() ? strings.find('\0', offset) : std::string::npos;
  if (end == std::string::npos)
    file.fail("its symbol table is damaged");
  return strings.substr(offset, end - offset);
}

bool is_exported(const Elf64_Sym& symbol) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
         ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT;
}

/// Adds the exported names of a section of type SHT_DYNSYM.
void add_exported(ElfFile& file,
                  const Elf64_Shdr& section,
                  const std::string& strings,
                  std::vector<std::string>& exported) {
  for (const auto& symbol : file.table<Elf64_Sym>(section.sh_offset, section.sh_size)) {
    if (is_exported(symbol))
      exported.push_back(name_at(file, strings, symbol.st_name));
  }
}

/// Adds the libraries that a section of type SHT_DYNAMIC names.
void add_needed(ElfFile& file,
                const Elf64_Shdr& section,
                const std::string& strings,
                std::vector<std::string>& needed) {
  for (const auto& entry : file.table<Elf64_Dyn>(section.sh_offset, section.sh_size)) {
    if (entry.d_tag == DT_NEEDED)
      needed.push_back(name_at(file, strings, entry.d_un.d_val));
  }
}

}  // namespace

LibraryFile inspect_library(const std::string& path) {
  ElfFile file(path);
  const Elf64_Ehdr header = read_header(file);
  const auto sections =
      file.table<Elf64_Shdr>(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  LibraryFile result;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC)
      continue;
    if (section.sh_link >= sections.size())
      file.fail("its section table is damaged");
    const Elf64_Shdr& names = sections[section.sh_link];
    const std::string strings = file.bytes(names.sh_offset, names.sh_size);
    if (section.sh_type == SHT_DYNSYM)
      add_exported(file, section, strings, result.exported);
    else
      add_needed(file, section, strings, result.needed);
  }
  return result;
}

std::string abi_text_in(const std::string& path) {
  constexpr std::string_view kMarker = "PHRASEQ-ABI-TEXT:";
  std::ifstream stream(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  const size_t found = content.rfind(kMarker);
  if (found == std::string::npos)
    return {};
  const size_t begin = found + kMarker.size();
  return content.substr(begin, std::min<size_t>(content.find('\0', begin) - begin, 400));
}

}  // namespace phraseq
