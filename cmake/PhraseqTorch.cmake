# Finds LibTorch and makes the target phraseq_torch.
#
# It is looked for in this order: PHRASEQ_TORCH_ROOT (cache or environment), PHRASEQ_TORCH_BESIDE (the torch/ next to a
# wheel's phraseq/), the virtual environment in the build folder, the one in the folder build, an active virtual
# environment, the LibTorch that an installed phraseq was built with, an unpacked LibTorch zip in CMAKE_PREFIX_PATH, and
# the distribution's package. Torch's own CMake files are not used: for a CUDA build, they require a toolkit, which host
# code does not need.

set(PHRASEQ_TORCH_ROOT "$ENV{PHRASEQ_TORCH_ROOT}" CACHE PATH
    "Folder that holds LibTorch's include/ and lib/ (a wheel's torch/ folder or an unpacked zip)")

file(GLOB wheel_roots
     ${CMAKE_BINARY_DIR}/venv/lib/python3*/site-packages/torch
     ${CMAKE_SOURCE_DIR}/build/venv/lib/python3*/site-packages/torch
     $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/torch)
set(torch_roots PATHS ${PHRASEQ_TORCH_ROOT} ${PHRASEQ_TORCH_BESIDE} ${wheel_roots} ${PHRASEQ_TORCH_BUILT_WITH})
find_path(PHRASEQ_TORCH_INCLUDE torch/csrc/api/include/torch/torch.h
          ${torch_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(PHRASEQ_TORCH_CPU torch_cpu ${torch_roots} PATH_SUFFIXES lib NO_DEFAULT_PATH)
# A LibTorch that was already found is not looked for again.
find_path(PHRASEQ_TORCH_INCLUDE torch/csrc/api/include/torch/torch.h PATH_SUFFIXES include)
find_library(PHRASEQ_TORCH_CPU torch_cpu PATH_SUFFIXES lib)
if(NOT PHRASEQ_TORCH_INCLUDE OR NOT PHRASEQ_TORCH_CPU)
  message(FATAL_ERROR "LibTorch was not found.\n"
    "  Looked in PHRASEQ_TORCH_ROOT='${PHRASEQ_TORCH_ROOT}', ${CMAKE_BINARY_DIR}/venv, ${CMAKE_SOURCE_DIR}/build/venv, VIRTUAL_ENV and CMAKE_PREFIX_PATH.\n"
    "  scripts/setup.sh installs the PyTorch wheel into the build folder; or unpack a LibTorch zip and "
    "give -DPHRASEQ_TORCH_ROOT=FOLDER.")
endif()
get_filename_component(torch_lib ${PHRASEQ_TORCH_CPU} DIRECTORY)

# The version in the stamp of plugins.
set(version_header ${PHRASEQ_TORCH_INCLUDE}/torch/headeronly/version.h)
if(NOT EXISTS ${version_header})
  set(version_header ${PHRASEQ_TORCH_INCLUDE}/torch/csrc/api/include/torch/version.h)
endif()
file(STRINGS ${version_header} version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
string(REGEX REPLACE "[^0-9;]" "" version_numbers "${version_lines}")
list(JOIN version_numbers "." PHRASEQ_TORCH_VERSION)

# LibTorch contains fmt headers. Those of the system must be found first, as its fmt library is linked. A folder with
# only a link to them ensures that.
get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
if(NOT fmt_include)
  set(fmt_include /usr/include)
endif()
list(GET fmt_include 0 fmt_include)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include-first)
file(CREATE_LINK ${fmt_include}/fmt ${CMAKE_BINARY_DIR}/include-first/fmt SYMBOLIC)

set(torch_libraries)
foreach(name c10 torch_cpu torch c10_cuda torch_cuda)
  find_library(PHRASEQ_LIB_${name} ${name} PATHS ${torch_lib} NO_DEFAULT_PATH)
  mark_as_advanced(PHRASEQ_LIB_${name})
  if(PHRASEQ_LIB_${name})
    list(APPEND torch_libraries ${PHRASEQ_LIB_${name}})
  endif()
endforeach()

# CUDA: host code needs only the headers of the runtime, which come with a toolkit or with the nvidia wheels.
set(PHRASEQ_TORCH_HAS_CUDA OFF)
file(GLOB nvidia_includes ${torch_lib}/../../nvidia/*/include)
file(GLOB nvidia_libraries ${torch_lib}/../../nvidia/*/lib)
find_path(PHRASEQ_CUDA_INCLUDE cuda_runtime_api.h
          HINTS ${nvidia_includes} /usr/local/cuda/include)
if(PHRASEQ_LIB_torch_cuda)
  set(PHRASEQ_TORCH_HAS_CUDA ON)
endif()

# Training with several processes: c10d's Gloo, if LibTorch was built with it.
if(NOT DEFINED PHRASEQ_TORCH_HAS_GLOO)
  set(has_gloo OFF)
  if(EXISTS ${PHRASEQ_TORCH_INCLUDE}/torch/csrc/distributed/c10d/ProcessGroupGloo.hpp)
    execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${PHRASEQ_TORCH_CPU}
                    OUTPUT_VARIABLE torch_symbols ERROR_QUIET)
    if(torch_symbols MATCHES "_ZTVN4c10d16ProcessGroupGlooE")
      set(has_gloo ON)
    endif()
    unset(torch_symbols)
  endif()
  set(PHRASEQ_TORCH_HAS_GLOO ${has_gloo} CACHE BOOL "LibTorch contains c10d's ProcessGroupGloo")
  mark_as_advanced(PHRASEQ_TORCH_HAS_GLOO)
endif()

# The same on several GPUs: c10d's NCCL, if LibTorch was built with it and the headers that its header includes exist.
# They come with a CUDA toolkit, or with the wheels of NVIDIA (docs/guide/building.md).
set(nccl_includes)
foreach(header nccl.h cuda_runtime_api.h cusolverDn.h crt/host_config.h nv/target)
  string(MAKE_C_IDENTIFIER PHRASEQ_INCLUDE_${header} variable)
  find_path(${variable} ${header} HINTS ${nvidia_includes} /usr/local/cuda/include PATH_SUFFIXES cccl)
  mark_as_advanced(${variable})
  if(${variable})
    list(APPEND nccl_includes ${${variable}})
  endif()
endforeach()
list(LENGTH nccl_includes nccl_header_count)
list(REMOVE_DUPLICATES nccl_includes)
if(NOT DEFINED PHRASEQ_TORCH_HAS_NCCL)
  set(has_nccl OFF)
  if(PHRASEQ_TORCH_HAS_CUDA AND nccl_header_count EQUAL 5
     AND EXISTS ${PHRASEQ_TORCH_INCLUDE}/torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp)
    execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${PHRASEQ_LIB_torch_cuda}
                    OUTPUT_VARIABLE torch_symbols ERROR_QUIET)
    if(torch_symbols MATCHES "_ZTVN4c10d16ProcessGroupNCCLE")
      set(has_nccl ON)
    endif()
    unset(torch_symbols)
  endif()
  set(PHRASEQ_NCCL_INCLUDES "${nccl_includes}" CACHE STRING "Folders with the headers of NCCL and CUDA")
  mark_as_advanced(PHRASEQ_NCCL_INCLUDES)
  set(PHRASEQ_TORCH_HAS_NCCL ${has_nccl} CACHE BOOL "LibTorch contains c10d's ProcessGroupNCCL")
  mark_as_advanced(PHRASEQ_TORCH_HAS_NCCL)
endif()

add_library(phraseq_torch INTERFACE)
target_include_directories(phraseq_torch SYSTEM INTERFACE
  ${CMAKE_BINARY_DIR}/include-first ${PHRASEQ_TORCH_INCLUDE}
  ${PHRASEQ_TORCH_INCLUDE}/torch/csrc/api/include)
target_compile_definitions(phraseq_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
if(PHRASEQ_TORCH_HAS_CUDA)
  # torch_cuda registers its kernels when it is loaded. Nothing refers to its symbols, so the linker must be told to
  # keep it.
  target_link_options(phraseq_torch INTERFACE "LINKER:--no-as-needed")
endif()
target_link_libraries(phraseq_torch INTERFACE ${torch_libraries})
set_property(TARGET phraseq_torch PROPERTY PHRASEQ_RUN_PATH ${torch_lib} ${nvidia_libraries})
list(APPEND CMAKE_BUILD_RPATH ${torch_lib} ${nvidia_libraries})
list(APPEND CMAKE_INSTALL_RPATH ${torch_lib} ${nvidia_libraries})
message(STATUS "LibTorch ${PHRASEQ_TORCH_VERSION} in ${torch_lib} (CUDA: ${PHRASEQ_TORCH_HAS_CUDA}, Gloo: ${PHRASEQ_TORCH_HAS_GLOO}, NCCL: ${PHRASEQ_TORCH_HAS_NCCL})")

# phraseq_use_torch(TARGET): links LibTorch and uses the precompiled header of the target PHRASEQ_PRECOMPILED, if any.
function(phraseq_use_torch target)
  # An installed library names this target; phraseqConfig.cmake makes it again for the LibTorch that it finds.
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:phraseq_torch> $<INSTALL_INTERFACE:phraseq::torch>)
  if(TARGET "${PHRASEQ_PRECOMPILED}" AND NOT target STREQUAL PHRASEQ_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${PHRASEQ_PRECOMPILED})
  endif()
endfunction()
