# What `cmake --install` adds to libraries, plugins and commands: the packages for CMake and pkg-config, the
# documentation, manual pages and completion scripts. The whole tree may be moved: programs find libraries, and
# libraries find plugins, relative to their own location.
include(CMakePackageConfigHelpers)

set(package_folder lib/cmake/phraseq)
set(PHRASEQ_TORCH_BUILT_WITH ${torch_lib}/..)
cmake_path(NORMAL_PATH PHRASEQ_TORCH_BUILT_WITH)
configure_package_config_file(cmake/phraseqConfig.cmake.in ${CMAKE_BINARY_DIR}/phraseqConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/phraseqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT phraseqTargets NAMESPACE phraseq:: DESTINATION ${package_folder})
install(FILES
  ${CMAKE_BINARY_DIR}/phraseqConfig.cmake ${CMAKE_BINARY_DIR}/phraseqConfigVersion.cmake
  cmake/PhraseqPlugin.cmake cmake/PhraseqTorch.cmake
  DESTINATION ${package_folder})
configure_file(cmake/phraseq.pc.in ${CMAKE_BINARY_DIR}/phraseq.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/phraseq.pc DESTINATION lib/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/generated/phraseq/abi_stamp.h DESTINATION include/phraseq/phraseq)

# The folders are arranged as in the source tree, so that links between pages work.
set(doc_folder share/doc/phraseq)
install(DIRECTORY docs DESTINATION ${doc_folder} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(DIRECTORY examples DESTINATION ${doc_folder} PATTERN scores EXCLUDE REGEX "/results/[^/]+/[a-z].*/" EXCLUDE)
file(GLOB linked_files RELATIVE ${CMAKE_SOURCE_DIR}
  plugins/*/*/README.md criterions/*/README.md tests/bench/results/gpu_*)
foreach(file IN LISTS linked_files)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES ${file} DESTINATION ${doc_folder}/${folder})
endforeach()
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${doc_folder})

install(CODE "set(PHRASEQ_BUILD_FOLDER \"${CMAKE_BINARY_DIR}\")")
install(SCRIPT cmake/WriteManPages.cmake)
install(SCRIPT cmake/WriteCompletions.cmake)
