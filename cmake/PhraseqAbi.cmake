# The properties in which a plugin and the program that loads it must agree, as text and as a hash.
# The hash is part of the name of the only symbol that a plugin exports.

set(PHRASEQ_ABI_NUMBER 11)  # raised by hand whenever an interface that plugins see changes
string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
set(PHRASEQ_ABI_TEXT "phraseq-abi ${PHRASEQ_ABI_NUMBER}; LibTorch ${PHRASEQ_TORCH_VERSION}; \
${CMAKE_CXX_COMPILER_ID} ${compiler_major}; C++${CMAKE_CXX_STANDARD}; cxx11-abi 1; \
assertions on; sanitizer ${PHRASEQ_SANITIZER}")
if(NOT PHRASEQ_SANITIZER)
  string(APPEND PHRASEQ_ABI_TEXT "none")
endif()
string(SHA256 abi_hash "${PHRASEQ_ABI_TEXT}")
string(SUBSTRING ${abi_hash} 0 12 PHRASEQ_ABI_HASH)
configure_file(${CMAKE_CURRENT_LIST_DIR}/abi_stamp.h.in ${CMAKE_BINARY_DIR}/generated/phraseq/abi_stamp.h)
