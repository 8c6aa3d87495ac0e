# cpack runs this between installing and packing.
set(BUILD ${CPACK_PHRASEQ_BUILD})
set(ROOT ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
set(WITH_TORCH ON)
include(${CMAKE_CURRENT_LIST_DIR}/BundleLibraries.cmake)
