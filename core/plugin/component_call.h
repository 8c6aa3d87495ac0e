#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/base/error.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The error for an exception from a component's own code: it names the component, its file, and
/// the operation that failed. The exit code is kExitPlugin, or kExitBug for an architecture, a
/// criterion or a decoder.
PHRASEQ_API Error component_failure(const Component& component,
                                    std::string_view doing,
                                    std::string_view what);

/// Calls code of a plugin. Its exceptions become a `component_failure`, except phraseq's own errors
/// and lack of memory, which are passed on, and failures of the file system, which become an
/// IoError.
template <class Work>
decltype(auto) call_component(const Component& component,
                              std::string_view doing,
                              const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& failure) {
    throw file_failure(component, failure);
  } catch (const std::exception& failure) {
    throw component_failure(component, doing, failure.what());
  } catch (...) {
    throw component_failure(
        component, doing, "an exception that does not derive from std::exception was thrown");
  }
}

/// Returns the result of a component; throws a `component_failure` if it is null: "it returned no
/// corpus".
template <class Result>
std::unique_ptr<Result> require_result(const Component& component,
                                       std::string_view doing,
                                       std::unique_ptr<Result> result,
                                       const std::string& name) {
  if (result == nullptr)
    throw component_failure(component, doing, "it returned no " + name);
  return result;
}

}  // namespace phraseq
