# Run by ctest (tests/CMakeLists.txt): adds a test for each test suite of a GoogleTest program.
#   name, program     the target and its file
#   suites_file       where the program's list of tests is kept until the program changes
#   properties        of the tests: names and values
if(NOT EXISTS ${program})
  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)
  return()
endif()
if(NOT EXISTS ${suites_file} OR ${program} IS_NEWER_THAN ${suites_file})
  execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_FILE ${suites_file} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE ${suites_file})
    message(FATAL_ERROR "${program} --gtest_list_tests failed (${status})")
  endif()
endif()
# "Suite." or "Instantiation/Suite/0.  # TypeParam = float"; the lines of tests are indented.
file(STRINGS ${suites_file} lines REGEX "^[A-Za-z0-9_/]+[.]( |$)")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^[^.]+" suite "${line}")
  add_test(${name}.${suite} ${program} --gtest_filter=${suite}.*)
  set_tests_properties(${name}.${suite} PROPERTIES ${properties})
endforeach()
