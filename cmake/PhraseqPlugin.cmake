# How plugins are built, both here and in projects that use an installed phraseq (phraseqConfig.cmake).

# phraseq_sources(VARIABLE FOLDER...): every .cpp file in and below the folders, so that adding a file needs no
# change here. Build folders are left out, as CMake writes a .cpp file with a main() there.
function(phraseq_sources variable)
  set(found)
  foreach(folder IN LISTS ARGN)
    get_filename_component(path ${folder} ABSOLUTE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${path}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/CMakeFiles/")
    phraseq_build_folders(builds ${path})
    foreach(source IN LISTS sources)
      phraseq_is_below(is_built ${source} ${builds})
      if(NOT is_built)
        list(APPEND found ${source})
      endif()
    endforeach()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# The build folders below a folder: that of this build, which may not have a cache yet, and earlier ones.
function(phraseq_build_folders variable path)
  file(GLOB_RECURSE caches ${path}/CMakeCache.txt)
  set(builds)
  foreach(cache IN LISTS caches ITEMS ${CMAKE_BINARY_DIR}/CMakeCache.txt)
    get_filename_component(build ${cache} DIRECTORY)
    phraseq_is_below(is_below ${build} ${path})
    if(is_below)
      list(APPEND builds ${build})
    endif()
  endforeach()
  set(${variable} ${builds} PARENT_SCOPE)
endfunction()

# phraseq_is_below(VARIABLE PATH FOLDER...): whether the path is below one of the folders, not the folder itself.
function(phraseq_is_below variable path)
  set(${variable} FALSE PARENT_SCOPE)
  foreach(folder IN LISTS ARGN)
    string(FIND ${path} ${folder}/ position)
    if(position EQUAL 0)
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# phraseq_add_kernels(TARGET SOURCE...): compiles plain loops, without LibTorch, once for each level of x86-64 and
# adds them to the target; core/nn/kernels/processor_level.h says how they are declared and chosen at run time.
# The options allow vectorized loops: no traps and no errno, but NaN and infinity keep their meaning.
function(phraseq_add_kernels target)
  phraseq_add_kernel_level(${target} baseline "" ${ARGN})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    phraseq_add_kernel_level(${target} v3 -march=x86-64-v3 ${ARGN})
    phraseq_add_kernel_level(${target} v4 -march=x86-64-v4 ${ARGN})
  endif()
endfunction()

# The same for one level: the namespace LEVEL, compiled with the options FLAGS.
function(phraseq_add_kernel_level target level flags)
  set(objects ${target}-kernels-${level})
  add_library(${objects} OBJECT ${ARGN})
  set_target_properties(${objects} PROPERTIES DEFINE_SYMBOL "" POSITION_INDEPENDENT_CODE ON
    INCLUDE_DIRECTORIES $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_compile_definitions(${objects} PRIVATE PHRASEQ_KERNEL_LEVEL=${level})
  set(optimization -O3)
  if(PHRASEQ_SANITIZER)
    set(optimization -O1)  # with a sanitizer's checks in every loop, -O3 takes long to compile and gains little
  endif()
  target_compile_options(${objects} PRIVATE ${PHRASEQ_PLUGIN_OPTIONS}
    ${optimization} -fno-math-errno -fno-trapping-math -fopenmp-simd -Wno-psabi ${flags})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  set_property(TARGET ${target} APPEND PROPERTY PHRASEQ_KERNEL_OBJECTS ${objects})
endfunction()

# Adds sources to a target, those named *_kernels.cpp with phraseq_add_kernels().
function(phraseq_add_sources target)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "_kernels\\.cpp$")
  list(FILTER ARGN EXCLUDE REGEX "_kernels\\.cpp$")
  target_sources(${target} PRIVATE ${ARGN})
  if(kernels)
    phraseq_add_kernels(${target} ${kernels})
  endif()
endfunction()

# phraseq_take_objects(TARGET PLUGIN): links the object files of a plugin into a program that tests it.
function(phraseq_take_objects target plugin)
  get_target_property(kernels ${plugin} PHRASEQ_KERNEL_OBJECTS)
  foreach(objects IN ITEMS ${plugin} LISTS kernels)
    if(TARGET ${objects})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    endif()
  endforeach()
endfunction()

# phraseq_add_plugin(NAME [SOURCES...] [TORCH_FREE] [NO_TORCH_HEADERS] [PRECOMPILED]): one folder = one shared library, the target
# phraseq-NAME, in the build's lib/phraseq; installed, it goes to lib/phraseq under the prefix.
# TORCH_FREE: without LibTorch. NO_TORCH_HEADERS: linked with LibTorch, but no source includes its headers, so a
# precompiled header would only cost time. PRECOMPILED: outside of phraseq's own build, LibTorch's headers are
# precompiled once for the plugin, which is worthwhile for about four sources or more; phraseq's own plugins share one
# header.
function(phraseq_add_plugin name)
  cmake_parse_arguments(PLUGIN "TORCH_FREE;NO_TORCH_HEADERS;PRECOMPILED" "" "SOURCES" ${ARGN})
  if(NOT name MATCHES "^[a-z][a-z0-9_-]*$")
    message(FATAL_ERROR "phraseq_add_plugin: '${name}' cannot be a plugin's name: "
      "lower-case letters, digits, '_' and '-' are expected, a letter first.")
  endif()
  set(target phraseq-${name})
  if(NOT PLUGIN_SOURCES)
    phraseq_sources(PLUGIN_SOURCES .)
  endif()
  set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  if(NOT folder)
    set(folder ${CMAKE_BINARY_DIR}/lib)
  endif()
  add_library(${target} SHARED)
  phraseq_add_sources(${target} ${PLUGIN_SOURCES})
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" LIBRARY_OUTPUT_DIRECTORY ${folder}/phraseq)
  target_compile_options(${target} PRIVATE ${PHRASEQ_PLUGIN_OPTIONS})
  target_link_options(${target} PRIVATE LINKER:--no-undefined ${PHRASEQ_PLUGIN_LINK_OPTIONS})
  if(PLUGIN_TORCH_FREE)
    target_link_libraries(${target} PRIVATE phraseq::base)
  else()
    target_link_libraries(${target} PRIVATE phraseq::core)
    phraseq_use_torch(${target})
  endif()
  if(PLUGIN_PRECOMPILED AND NOT TARGET phraseq_precompiled)
    target_precompile_headers(${target} PRIVATE <core/precompiled.h>)
  endif()
  set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ${PLUGIN_NO_TORCH_HEADERS})
  if(COMMAND phraseq_unity)
    phraseq_unity(${target} ${PLUGIN_SOURCES})
  endif()
  set_property(GLOBAL APPEND PROPERTY PHRASEQ_PLUGIN_TARGETS ${target})
  install(TARGETS ${target} LIBRARY DESTINATION lib/phraseq)
endfunction()
