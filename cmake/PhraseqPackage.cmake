# Packages: the Debian package that `cpack` makes, and what packaging/wheel_backend.py needs for the Python wheel.
# Both contain the tree of `cmake --install`, completed by BundleLibraries.cmake.
get_target_property(json_include nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
list(GET json_include 0 json_include)
string(CONCAT bundle_settings
  "set(source_folder \"${CMAKE_SOURCE_DIR}\")\n"
  "set(torch_lib \"${torch_lib}\")\nset(torch_built_with \"${PHRASEQ_TORCH_BUILT_WITH}\")\n"
  "set(fmt_include \"${fmt_include}\")\nset(json_include \"${json_include}\")\n"
  "set(install_rpath [[${CMAKE_INSTALL_RPATH}]])\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/bundle_settings.cmake CONTENT "${bundle_settings}" @ONLY)

# Everything that is installed, which is everything except tests and benchmarks.
get_property(plugins GLOBAL PROPERTY PHRASEQ_PLUGIN_TARGETS)
get_property(commands DIRECTORY ${CMAKE_SOURCE_DIR}/cli PROPERTY BUILDSYSTEM_TARGETS)
add_custom_target(programs DEPENDS phraseq-base phraseq-core ${plugins} ${commands})

# The package needs a C library that is not older than that of this machine.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "[0-9.]+$" glibc "${glibc}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME phraseq)
set(CPACK_PACKAGE_CONTACT "phraseq developers <phraseq@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "neural machine translation with phrase-aware architectures")
set(CPACK_PACKAGE_DESCRIPTION "phraseq trains and runs translation models: Transformer, RNNsearch, and models with
phrases. LibTorch ${PHRASEQ_TORCH_VERSION} and all other libraries are contained.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/BundleForDebian.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${glibc}), libstdc++6 (>= ${compiler_major}), libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++-${compiler_major}, cmake (>= 3.25)")
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_PHRASEQ_BUILD ${CMAKE_BINARY_DIR})
include(CPack)
