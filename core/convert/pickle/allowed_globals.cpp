#include "core/convert/pickle/allowed_globals.h"

#include <algorithm>
#include <array>
#include <utility>

namespace phraseq {
namespace {

using Global = std::pair<std::string_view, std::string_view>;

constexpr std::array kGlobals = std::to_array<Global>({
    {"_codecs", "encode"},
    {"_operator", "getitem"},
    {"argparse", "Namespace"},
    {"collections", "Counter"},
    {"collections", "OrderedDict"},
    {"collections", "defaultdict"},
    {"copy_reg", "_reconstructor"},
    {"copyreg", "_reconstructor"},
    {"numpy", "dtype"},
    {"numpy", "ndarray"},
    {"numpy._core.multiarray", "_reconstruct"},
    {"numpy._core.multiarray", "scalar"},
    {"numpy.core.multiarray", "_reconstruct"},
    {"numpy.core.multiarray", "scalar"},
    {"operator", "getitem"},
    {"pathlib", "Path"},
    {"pathlib", "PosixPath"},
    {"torch", "Size"},
    {"torch", "Tensor"},
    {"torch", "device"},
    {"torch._utils", "_rebuild_parameter"},
    {"torch._utils", "_rebuild_tensor"},
    {"torch._utils", "_rebuild_tensor_v2"},
    {"torch.nn.parameter", "Parameter"},
    {"torch.storage", "TypedStorage"},
    {"torch.storage", "UntypedStorage"},
});

constexpr std::array kBuiltins = std::to_array<std::string_view>({"bool",
                                                                  "bytearray",
                                                                  "bytes",
                                                                  "complex",
                                                                  "dict",
                                                                  "float",
                                                                  "frozenset",
                                                                  "getattr",
                                                                  "int",
                                                                  "list",
                                                                  "object",
                                                                  "set",
                                                                  "str",
                                                                  "tuple"});

constexpr std::array kTorchTypes = std::to_array<std::string_view>(
    {"BFloat16Storage", "BoolStorage", "ByteStorage", "CharStorage", "DoubleStorage",
     "FloatStorage",    "HalfStorage", "IntStorage",  "LongStorage", "ShortStorage",
     "bfloat16",        "bool",        "float16",     "float32",     "float64",
     "int16",           "int32",       "int64",       "int8",        "uint8"});

/// Records of classes of these packages: options, meters, enumerations.
constexpr std::array kPackages =
    std::to_array<std::string_view>({"fairseq", "omegaconf", "typing"});

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool is_in_package(std::string_view module) {
  return contains(kPackages, module.substr(0, module.find('.')));
}

bool is_builtins(std::string_view module) {
  return module == "builtins" || module == "__builtin__";
}

}  // namespace

bool is_allowed_global(std::string_view module, std::string_view name) {
  if (std::ranges::find(kGlobals, Global(module, name)) != kGlobals.end())
    return true;
  if (is_builtins(module))
    return contains(kBuiltins, name);
  return (module == "torch" && contains(kTorchTypes, name)) || is_in_package(module);
}

bool is_allowed_call(std::string_view callable, std::string_view subject) {
  if (callable.ends_with(".getattr"))
    return subject.starts_with("fairseq.");
  if (callable.ends_with("operator.getitem"))
    return subject.starts_with("typing.");
  return true;
}

}  // namespace phraseq
