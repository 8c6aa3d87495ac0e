#include "core/convert/torch/torch_file.h"

#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/convert/pickle/pickle_reader.h"
#include "core/convert/torch/tensor_layout.h"
#include "core/convert/torch/torch_storages.h"
#include "core/convert/torch/zip_archive.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

/// The first value of the older layout, 0x1950a86a20f9469cfc6c, and the second.
constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr int64_t kLayoutVersion = 1001;
constexpr const char* kHint =
    "Expected a file that torch.save wrote: a ZIP archive, or pickles of PyTorch before 1.6.";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// ('storage', type, key, device, elements), and a view of another storage in old files.
struct StorageReference {
  DType dtype = DType::kF32;
  std::string key;
  int64_t elements = 0;
};

StorageReference parse_reference(const PickleGraph& graph,
                                 PickleRef persistent,
                                 const std::string& path) {
  const auto fail = [&](std::string_view problem) {
    return FormatError(fmt::format("{}: a reference to a tensor's storage {}", path, problem));
  };
  const auto& fields = graph.at(graph.at(persistent).arguments).items;
  if (fields.size() < 5 || graph.at(fields[0]).text != "storage" ||
      graph.at(fields[2]).kind != PickleKind::kString ||
      graph.at(fields[4]).kind != PickleKind::kInt)
    throw fail("is not (storage, type, key, device, number of elements)");
  if (fields.size() > 5 && graph.at(fields[5]).kind != PickleKind::kNone)
    throw fail("is a view of another storage, which is not supported");
  const auto dtype = storage_dtype(graph.at(fields[1]).text);
  if (!dtype)
    throw fail(fmt::format("has the type {}", excerpt(graph.at(fields[1]).text)));
  const int64_t elements = graph.at(fields[4]).integer;
  if (elements < 0 || elements > (int64_t{1} << 56))
    throw fail(fmt::format("has {} elements", elements));
  return {*dtype, std::string(graph.at(fields[2]).text), elements};
}

std::vector<int64_t> whole_numbers(const PickleGraph& graph, PickleRef ref) {
  std::vector<int64_t> values;
  if (ref == kNoPickle)
    return values;
  for (const PickleRef item : graph.at(ref).items) values.push_back(graph.at(item).integer);
  return values;
}

/// The call that makes a tensor, without the one that makes a parameter of it; kNoPickle for
/// another value.
PickleRef find_tensor(const PickleGraph& graph, PickleRef ref) {
  if (graph.is_object(ref, "torch._utils._rebuild_parameter"))
    ref = graph.argument(ref, 0);
  const bool is_tensor =
      ref != kNoPickle && (graph.is_object(ref, "torch._utils._rebuild_tensor_v2") ||
                           graph.is_object(ref, "torch._utils._rebuild_tensor"));
  return is_tensor ? ref : kNoPickle;
}

}  // namespace

struct TorchFile::State {
  explicit State(const std::string& path) : file(path), copy_budget(file.size()) {}

  void open() {
    if (ZipArchive::is_archive(file.bytes())) {
      open_archive();
    } else {
      open_sequence();
    }
  }

  void open_archive() {
    archive.emplace(file.bytes(), file.path());
    const std::string folder = find_folder();
    if (archive->contains(folder + "/byteorder") &&
        text_of(archive->read(folder + "/byteorder")) != "little")
      fail("the numbers are not little-endian");
    graph = read_pickle(text_of(archive->read(folder + "/data.pkl")), file.path()).graph;
    storages = std::make_unique<ZipStorages>(*archive, folder, file.path());
  }

  /// The one folder of the archive.
  std::string find_folder() const {
    constexpr std::string_view kPickle = "/data.pkl";
    for (const std::string& name : archive->names()) {
      if (name.ends_with(kPickle) && name.find('/') == name.size() - kPickle.size())
        return name.substr(0, name.size() - kPickle.size());
    }
    fail("the ZIP archive has no data.pkl");
  }

  void open_sequence() {
    const PickleGraph magic = next_pickle();
    const PickleNode& first = magic.at(magic.root());
    if (first.kind != PickleKind::kLong || first.text != kMagic)
      fail("the first value is not PyTorch's mark");
    const PickleGraph version = next_pickle();
    if (version.at(version.root()).integer != kLayoutVersion)
      fail(fmt::format("the layout has the version {}, not {}",
                       version.at(version.root()).integer,
                       kLayoutVersion));
    const PickleGraph system = next_pickle();
    const PickleRef little = system.find(system.root(), "little_endian");
    if (little == kNoPickle || system.at(little).integer != 1)
      fail("the numbers are not little-endian");
    graph = next_pickle();
    const PickleGraph keys = next_pickle();
    storages = std::make_unique<SequentialStorages>(
        file.bytes().subspan(position), key_list(keys), element_sizes(), file.path());
  }

  PickleGraph next_pickle() {
    const auto rest = text_of(file.bytes().subspan(position));
    if (!rest.starts_with('\x80'))
      fail(position == 0 ? "it begins neither like a ZIP archive nor like a pickle"
                         : "it ends before all pickles");
    // What follows the pickles may be larger than a pickle can be.
    Pickle pickle = read_pickle(rest.substr(0, kMaxPickleBytes), file.path());
    position += pickle.bytes;
    return std::move(pickle.graph);
  }

  static std::vector<std::string> key_list(const PickleGraph& keys) {
    std::vector<std::string> list;
    for (const PickleRef key : keys.at(keys.root()).items) list.emplace_back(keys.at(key).text);
    return list;
  }

  /// Bytes of an element by key of the storage, as the references have it.
  std::map<std::string, size_t> element_sizes() const {
    std::map<std::string, size_t> sizes;
    for (PickleRef ref = 0; ref < graph.size(); ++ref) {
      if (graph.at(ref).kind != PickleKind::kPersistent)
        continue;
      const auto reference = parse_reference(graph, ref, file.path());
      const auto [known, added] = sizes.emplace(reference.key, size_of(reference.dtype));
      if (known->second != size_of(reference.dtype))
        fail(fmt::format("storage '{}' has two element types", excerpt(reference.key)));
    }
    return sizes;
  }

  TensorView tensor(std::string_view name, PickleRef call) {
    const PickleRef persistent = graph.argument(call, 0);
    const PickleRef offset = graph.argument(call, 1);
    if (offset == kNoPickle || graph.at(persistent).kind != PickleKind::kPersistent)
      fail(fmt::format("tensor '{}' is not made of a storage", excerpt(name)));
    const auto reference = parse_reference(graph, persistent, file.path());
    const TensorLayout layout{graph.at(offset).integer,
                              whole_numbers(graph, graph.argument(call, 2)),
                              whole_numbers(graph, graph.argument(call, 3))};
    if (const auto problem = layout.problem(reference.elements))
      fail(fmt::format("tensor '{}' does not fit its storage: {}", excerpt(name), *problem));
    const size_t element = size_of(reference.dtype);
    const auto storage =
        storages->find(reference.key, static_cast<uint64_t>(reference.elements) * element);
    return {
        std::string(name), reference.dtype, layout.shape, elements_of(layout, storage, element)};
  }

  std::span<const std::byte> elements_of(const TensorLayout& layout,
                                         std::span<const std::byte> storage,
                                         size_t element) {
    const size_t size = static_cast<size_t>(layout.elements()) * element;
    if (size == 0)
      return {};
    if (layout.is_contiguous())
      return storage.subspan(static_cast<size_t>(layout.offset) * element, size);
    if (size > copy_budget)
      fail("its tensors with strides are larger than the file");
    copy_budget -= size;
    return std::as_bytes(std::span(copies.emplace_back(layout.gather(storage, element))));
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: not a readable PyTorch file: {}", file.path(), problem),
                      kHint);
  }

  MappedFile file;
  size_t position = 0;
  std::optional<ZipArchive> archive;
  PickleGraph graph;
  std::unique_ptr<TorchStorages> storages;
  std::deque<std::string> copies;
  size_t copy_budget;  ///< bytes; tensors whose elements are in order are not copied
};

TorchFile::TorchFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TorchFile::~TorchFile() = default;
TorchFile::TorchFile(TorchFile&&) noexcept = default;

TorchFile TorchFile::open(const std::string& path) {
  auto state = std::make_unique<State>(path);
  state->open();
  return TorchFile(std::move(state));
}

const std::string& TorchFile::path() const { return state_->file.path(); }
const PickleGraph& TorchFile::values() const { return state_->graph; }

std::vector<TensorView> TorchFile::tensors(PickleRef dictionary) const {
  std::vector<TensorView> found;
  for (const auto& [name, value] : state_->graph.entries(dictionary)) {
    if (const PickleRef call = find_tensor(state_->graph, value); call != kNoPickle)
      found.push_back(state_->tensor(name, call));
  }
  return found;
}

}  // namespace phraseq
