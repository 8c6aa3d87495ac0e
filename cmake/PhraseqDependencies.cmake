# The packages other than LibTorch, all from the distribution (scripts/setup.sh names them).

find_package(Threads REQUIRED)
find_package(Boost 1.74 CONFIG REQUIRED COMPONENTS filesystem program_options)
find_package(fmt 9 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ICU 70 REQUIRED COMPONENTS uc i18n)
find_package(ZLIB REQUIRED)
find_library(PHRASEQ_SENTENCEPIECE sentencepiece REQUIRED)
find_library(PHRASEQ_SENTENCEPIECE_TRAIN sentencepiece_train REQUIRED)
if(PHRASEQ_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
