# A test: compiles SOURCE as TARGET would (from DATABASE) and wants its first error to match REGEX.
# Read as lines: parsing the whole of it takes seconds.
file(STRINGS ${DATABASE} lines REGEX "\"command\": .*/${TARGET}\\.dir/")
list(LENGTH lines count)
set(command "")
if(count EQUAL 1)
  string(REGEX REPLACE ",$" "" line "${lines}")
  string(JSON command GET "{${line}}" command)
  get_filename_component(folder ${DATABASE} DIRECTORY)
endif()
if(NOT command)
  message(FATAL_ERROR "${DATABASE} has no command for ${SOURCE} in ${TARGET}")
endif()

set(ENV{LC_ALL} C)  # plain quotes in messages
separate_arguments(command UNIX_COMMAND "${command}")
execute_process(
  COMMAND ${command} -fsyntax-only -fdiagnostics-color=never
  WORKING_DIRECTORY ${folder} RESULT_VARIABLE code ERROR_VARIABLE output OUTPUT_VARIABLE output)

if(code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but must not")
endif()
if(NOT output MATCHES "[^\n]*error:[^\n]*")
  message(FATAL_ERROR "the compiler failed (${code}) without an error line:\n${output}")
endif()
set(first "${CMAKE_MATCH_0}")
if(NOT first MATCHES "${REGEX}")
  message(FATAL_ERROR "the first error does not match\n  wanted: ${REGEX}\n  got:    ${first}\n"
                      "the whole output:\n${output}")
endif()
message(STATUS "${first}")
