# Language level, flags and output folders that every target shares.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")  # keeps assertions; NDEBUG would also change the plugins' ABI stamp
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# From bin/, lib/ and the plugins' lib/phraseq/: phraseq's libraries; those in a package (cmake/BundleLibraries.cmake);
# and LibTorch next to a wheel's phraseq/. PhraseqTorch.cmake adds the location of LibTorch at build time.
set(CMAKE_INSTALL_RPATH $ORIGIN/../lib $ORIGIN/.. $ORIGIN/phraseq-libs $ORIGIN/../lib/phraseq-libs $ORIGIN/../phraseq-libs
    $ORIGIN/../../torch/lib $ORIGIN/../../../torch/lib)

# Libraries and programs have the same code-generation flags, so that they can use one precompiled header.
# Therefore -fPIC is set here for both; CMake would use -fPIE for programs.
add_compile_options(-fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(PHRASEQ_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(PHRASEQ_SANITIZER)
  add_compile_options(-fsanitize=${PHRASEQ_SANITIZER} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PHRASEQ_SANITIZER})
  if(PHRASEQ_SANITIZER MATCHES "undefined")
    # Null pointers crash the program anyway, and checks of each access and virtual call would double the compile time.
    add_compile_options(-fno-sanitize=null,vptr)
  endif()
endif()

find_program(PHRASEQ_CCACHE ccache)
if(PHRASEQ_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # With these settings, ccache works with a precompiled header and with a tree that was moved.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PHRASEQ_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
set(CMAKE_PCH_INSTANTIATE_TEMPLATES OFF)

# The precompiled header of everything that includes LibTorch takes 25 s once instead of 16 s per file. A folder with
# other compiler options makes its own, as GCC 13 and newer reject a header compiled with another -O.
set(PHRASEQ_PRECOMPILED phraseq_precompiled)

# phraseq_precompile(TARGET): makes the precompiled header with the options of this folder.
function(phraseq_precompile target)
  add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/core/precompiled.cpp)
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  phraseq_use_torch(${target})
  target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/core/precompiled.h)
endfunction()
