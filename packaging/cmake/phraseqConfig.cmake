# In lib/cmake/phraseq of a Python environment, this file makes find_package(phraseq) find the environment's package.
file(GLOB phraseq_configs
     ${CMAKE_CURRENT_LIST_DIR}/../../python3*/*-packages/phraseq/lib/cmake/phraseq/phraseqConfig.cmake
     ${CMAKE_CURRENT_LIST_DIR}/../../../lib64/python3*/*-packages/phraseq/lib/cmake/phraseq/phraseqConfig.cmake)
if(phraseq_configs)
  list(GET phraseq_configs 0 phraseq_config)
  include(${phraseq_config})
else()
  set(phraseq_FOUND FALSE)
  set(phraseq_NOT_FOUND_MESSAGE "the Python package phraseq was not found next to ${CMAKE_CURRENT_LIST_DIR}. Give \
-DCMAKE_PREFIX_PATH=$(python3 -c 'import phraseq; print(phraseq.prefix)')")
endif()
