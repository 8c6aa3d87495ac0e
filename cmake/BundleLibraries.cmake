# Makes an installed tree independent of the distribution's packages:
#
#   cmake -DBUILD=BUILD_FOLDER -DROOT=INSTALLED_TREE [-DWITH_TORCH=ON] -P cmake/BundleLibraries.cmake
#
# The shared libraries that phraseq uses, except those of the C and C++ run time, are copied to lib/phraseq-libs, with
# the headers that plugins include and the license texts. With WITH_TORCH, LibTorch is copied; otherwise, it is found
# next to the tree, in ../torch (in a Python environment). The location of the build's LibTorch is removed from all
# files.
include(${BUILD}/bundle_settings.cmake)  # made by PhraseqPackage.cmake

set(run_time [[^(ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)[-.].*]])
set(torch [[^lib(torch|c10|gomp|cud|nv|shm).*]])
if(WITH_TORCH)
  set(torch_elsewhere)
else()
  set(torch_elsewhere ${torch})
endif()
set(libs ${ROOT}/lib/phraseq-libs)
set(texts ${ROOT}/share/doc/phraseq)

# The license text of the Debian package that a library came from.
function(copy_license library)
  execute_process(COMMAND dpkg-query --search */${library} OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCH "^[^:,]+" package "${owner}")
  if(failed OR NOT EXISTS /usr/share/doc/${package}/copyright)
    message(WARNING "No license text was found for ${library}: add it to ${texts} before you distribute the package.")
  else()
    file(COPY_FILE /usr/share/doc/${package}/copyright ${texts}/licenses/${package}.txt)
  endif()
endfunction()

file(GLOB programs ${ROOT}/bin/phraseq*)
file(GLOB libraries ${ROOT}/lib/libphraseq-*.so)
file(GLOB plugins ${ROOT}/lib/phraseq/libphraseq-*.so)
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs} LIBRARIES ${libraries} ${plugins}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  DIRECTORIES ${torch_lib} PRE_EXCLUDE_REGEXES ${run_time} ^libphraseq-.* ${torch_elsewhere})
if(missing)
  message(FATAL_ERROR "These libraries, which phraseq in ${ROOT} needs, were not found: ${missing}")
endif()

file(MAKE_DIRECTORY ${libs}/include ${texts}/licenses)
foreach(file IN LISTS found)
  get_filename_component(name ${file} NAME)
  file(REAL_PATH ${file} real)
  file(COPY_FILE ${real} ${libs}/${name})
  get_filename_component(real_name ${real} NAME)
  if(NOT name MATCHES "${torch}")
    copy_license(${real_name})
  endif()
endforeach()
if(WITH_TORCH)
  file(GLOB torch_licenses ${torch_lib}/../../torch-*.dist-info/licenses/* ${torch_lib}/../LICENSE ${torch_lib}/../NOTICE)
  file(COPY ${torch_licenses} DESTINATION ${texts}/licenses/libtorch)
endif()
file(COPY ${fmt_include}/fmt ${json_include}/nlohmann DESTINATION ${libs}/include)
file(COPY_FILE ${source_folder}/LICENSE ${texts}/copyright)

# The search paths keep only folders relative to the file.
set(relative ${install_rpath})
list(FILTER relative INCLUDE REGEX "^\\$ORIGIN")
list(JOIN relative ":" relative)
foreach(file IN LISTS programs libraries plugins)
  file(RPATH_SET FILE ${file} NEW_RPATH "${relative}")
endforeach()
set(config ${ROOT}/lib/cmake/phraseq/phraseqConfig.cmake)
file(READ ${config} text)
string(REPLACE "${torch_built_with}" "" text "${text}")
file(WRITE ${config} "${text}")
