# Functions for the CMakeLists.txt of each directory: kd_library, kd_program, kd_tests and friends.

# Where generated headers are.
set(KD_GENERATED_INCLUDE_DIR ${PROJECT_BINARY_DIR}/obj/include)

# kd_directories(names...): adds these directories; one that is not there is an error.
# Their build files go to obj/, since build/kd is the program.
function(kd_directories)
  foreach(name IN LISTS ARGN)
    add_subdirectory(${PROJECT_SOURCE_DIR}/${name} ${PROJECT_BINARY_DIR}/obj/${name})
  endforeach()
endfunction()

# The files of the current directory that match a pattern; adding one needs no change to CMake.
function(_kd_glob out pattern recurse)
  set(mode GLOB)
  if(recurse)
    set(mode GLOB_RECURSE)
  endif()
  file(${mode} files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${pattern})
  list(FILTER files EXCLUDE REGEX "/compile_fail/")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# kd_library(name [RECURSE] [ONLY regex] [WITHOUT regex] [DEPS public...] [PRIVATE_DEPS ...]
#            [EXCLUDE files...] [PCH headers...])
# The shared library kauldron::name of all sources here (and below, with RECURSE). Its public headers, all
# but *_impl.h and *_test*.h, are its property KD_HEADERS; cmake/package.cmake says which are installed.
# Without PCH it shares that of konfig. ONLY and WITHOUT choose among the sources; a library WITHOUT some has
# no headers: they come with the library that has those sources.
function(kd_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "RECURSE" "ONLY;WITHOUT" "DEPS;PRIVATE_DEPS;EXCLUDE;PCH")
  _kd_glob(sources *.cc "${ARG_RECURSE}")
  _kd_glob(headers *.h "${ARG_RECURSE}")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench|main)\\.cc$")
  list(FILTER headers EXCLUDE REGEX "_(impl|test|fuzz|bench)\\.h$")
  if(ARG_ONLY)
    list(FILTER sources INCLUDE REGEX "${ARG_ONLY}")
  endif()
  if(ARG_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${ARG_WITHOUT}")
    set(headers "")
  endif()
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    list(REMOVE_ITEM headers ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()

  add_library(${name} SHARED ${sources})
  add_library(kauldron::${name} ALIAS ${name})
  kd_warnings(${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  # A member that is declared and never defined is an error here, not when a config uses it. With
  # sanitizers their functions come from the program.
  if(NOT KD_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  if(ARG_PCH)
    target_precompile_headers(${name} PRIVATE ${ARG_PCH})
  elseif(NOT ARG_WITHOUT)
    target_precompile_headers(${name} REUSE_FROM library_headers)
  endif()
  # No symbol of CMake's own: a precompiled header that is shared depends on all symbols.
  set_target_properties(${name} PROPERTIES KD_HEADERS "${headers}" DEFINE_SYMBOL ""
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${name} EXPORT kauldronTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# The precompiled header of the libraries on top of konfig.
add_library(library_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
kd_warnings(library_headers)
set_target_properties(library_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(library_headers PRIVATE ${PROJECT_SOURCE_DIR})
target_precompile_headers(library_headers PRIVATE
  <konfig/konfig.h> <konfig/config.h>
  <konfig/register.h>)

# kd_program(name file [DEPS ...]): a program for users, in build/ and installed to bin/; kauldron::name for
# projects that use an installed copy.
function(kd_program name file)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "DEPS")
  _kd_executable(${name} ${PROJECT_BINARY_DIR} ${file} DEPS ${ARG_DEPS})
  # build/kd finds build/lib, bin/kd finds lib: one run path for both, nothing is patched at install.
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/lib")
  install(TARGETS ${name} EXPORT kauldronTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# _kd_executable(name folder sources... [DEPS ...])
function(_kd_executable name folder)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "DEPS")
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  kd_warnings(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${folder})
endfunction()

# Where tests find their data. A header rather than definitions for every source, so that a compiler
# cache serves other checkouts too.
configure_file(${CMAKE_CURRENT_LIST_DIR}/test_paths.h.in ${KD_GENERATED_INCLUDE_DIR}/test_paths.h)

# What most sources of the engine and of its tests include, to be precompiled.
set(KD_ENGINE_HEADERS <algorithm> <cmath> <filesystem> <map> <numeric> <ATen/ops/zeros.h>
    <konfig/konfig.h> <kd/core/tensor.h>
    <kd/core/ops.h> <kd/core/tree.h>)

# The precompiled headers of all tests: test_headers, and engine_test_headers for those that use
# libtorch. Tests are optimised little: they compile a quarter faster, and what they test is not slower.
function(_kd_test_headers name)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
  kd_warnings(${name})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE GTest::gmock)
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${ARGN})
endfunction()
if(KD_TESTS)
  _kd_test_headers(test_headers <konfig/konfig.h>)
  _kd_test_headers(engine_test_headers ${KD_ENGINE_HEADERS})
  target_link_libraries(engine_test_headers PRIVATE kd_torch)
endif()

# _kd_test_options(target engine): how tests are compiled.
function(_kd_test_options target engine)
  target_link_libraries(${target} PRIVATE GTest::gmock)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(engine)
    target_precompile_headers(${target} REUSE_FROM engine_test_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM test_headers)
  endif()
endfunction()

# _kd_gtest_executable(name engine sources... [DEPS ...])
function(_kd_gtest_executable name engine)
  _kd_executable(${name} ${PROJECT_BINARY_DIR}/tests ${ARGN} GTest::gmock GTest::gtest_main)
  _kd_test_options(${name} "${engine}")
  target_include_directories(${name} PRIVATE ${KD_GENERATED_INCLUDE_DIR})
endfunction()

# kd_tests(name [RECURSE] [ENGINE] [DEPS ...])
# One program, name_test, of all *_test.cc here; every case is a ctest test `name.Suite.Case`.
# The library `name`, where there is one, is linked. The time limit is that of the test preset, so
# that `./test --full` can raise it. ENGINE: they use libtorch, and its precompiled header.
function(kd_tests name)
  if(NOT KD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "RECURSE;ENGINE" "" "DEPS")
  _kd_glob(sources *_test.cc "${ARG_RECURSE}")
  if(NOT sources)
    return()
  endif()
  if(TARGET kauldron::${name})
    list(PREPEND ARG_DEPS kauldron::${name})
  endif()
  _kd_gtest_executable(${name}_test "${ARG_ENGINE}" ${sources} DEPS ${ARG_DEPS})
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
endfunction()

# kd_engine_library(name [DEPS ...]): the library of a part of kd that uses libtorch, of all sources in its
# directory and below, and its tests. Sources in its folder config/ belong to kd_types, headers too. A generated
# source implements the components that its headers declare.
function(kd_engine_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "DEPS")
  kd_library(${name} RECURSE WITHOUT ${KD_TYPES} DEPS kauldron::kd_types kd_torch ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN;${KD_TORCH_ROOT}/lib")
  if(NOT name STREQUAL kd_core)
    target_precompile_headers(${name} REUSE_FROM kd_core)
  endif()
  kd_implementations(${name} kd_types)
  kd_tests(${name} RECURSE ENGINE)
endfunction()

# kd_implementations(target declaring): a source of the target that implements the components declared in
# this directory. The headers are those of the target `declaring`.
function(kd_implementations target declaring)
  get_target_property(headers ${declaring} KD_HEADERS)
  _kd_generate(${target} ${CMAKE_CURRENT_BINARY_DIR}/implemented_${target}.cc implement
               ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR} ${headers})
endfunction()

# A config file that includes one of these, or what is below these folders, needs the engine; `*` stands for
# the name of one folder. The loader goes by them, too (loader/needs_engine.cc).
# Those of kd are tensor_parts() of tools/layers.cc.
set(KD_ENGINE_INCLUDES kd/model.h kd/run.h kd/*/engine/ kd/core/ kd/io/ kd/random/ kd/typing/ kd/einops/
    kd/engine/ ATen/ c10/ torch/)

# kd_needs_engine(out file): whether a config file needs the engine.
function(kd_needs_engine out file)
  list(JOIN KD_ENGINE_INCLUDES "|" headers)
  string(REPLACE "*" "[^/]+" headers "${headers}")
  file(STRINGS ${file} found REGEX "^[ \t]*#[ \t]*include[ \t]*[\"<](${headers})")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# kd_engine_headers(target): compiles a program's sources with the engine's precompiled header.
# GCC wants the same kind of code as that header was compiled for.
function(kd_engine_headers target)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM kd_core)
endfunction()

# kd_golden_test(area [ENGINE] sources... [DEPS ...])
# One program and one ctest test, golden.area, with the label `golden`. It reads the cases in the
# folder $KD_GOLDEN, by default KD_GOLDEN_DEFAULT.
function(kd_golden_test area)
  if(NOT KD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ENGINE" "" "")
  _kd_gtest_executable(golden_${area}_test "${ARG_ENGINE}" ${ARG_UNPARSED_ARGUMENTS})
  add_test(NAME golden.${area} COMMAND golden_${area}_test)
  set_tests_properties(golden.${area} PROPERTIES LABELS golden)
endfunction()

# kd_fuzz(name file [ENGINE] [DEPS ...])
# The file defines LLVMFuzzerTestOneInput. With the fuzz preset it is a libFuzzer program; else our
# own driver runs it over tests/fuzz/corpus/name and a bounded number of fixed mutations of it.
# Either way it is the ctest test fuzz.name.
function(kd_fuzz name file)
  if(NOT KD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 ARG "ENGINE" "" "DEPS")
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  if(KD_LIBFUZZER)
    _kd_executable(fuzz_${name} ${PROJECT_BINARY_DIR}/fuzz ${file} DEPS ${ARG_DEPS})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    # libFuzzer writes what it finds into the first folder: keep that out of the source tree.
    set(found ${PROJECT_BINARY_DIR}/fuzz/found/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -runs=20000 -timeout=60 ${found} ${corpus}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  else()
    _kd_executable(fuzz_${name} ${PROJECT_BINARY_DIR}/fuzz ${file} DEPS fuzz_driver ${ARG_DEPS})
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${corpus}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  endif()
  _kd_test_options(fuzz_${name} "${ARG_ENGINE}")
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
endfunction()

# kd_compile_fail(name file regex [DEPS ...])
# The ctest test compile_fail.name: compiling the file must fail, and the first line with `error:`
# must match the regex, since that line is what a user reads. Where compilers word it differently the
# regex has both.
function(kd_compile_fail name file regex)
  if(NOT KD_TESTS OR KD_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "" "DEPS")
  # Never built: it puts the real compiler command into compile_commands.json for the test to run.
  add_library(compile_fail_${name} OBJECT EXCLUDE_FROM_ALL ${file})
  kd_warnings(compile_fail_${name})
  target_include_directories(compile_fail_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(compile_fail_${name} PRIVATE ${ARG_DEPS})
  _kd_test_options(compile_fail_${name} "")
  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  add_test(NAME compile_fail.${name} COMMAND ${CMAKE_COMMAND}
    -DDATABASE=${CMAKE_BINARY_DIR}/compile_commands.json -DSOURCE=${file}
    -DTARGET=compile_fail_${name} -DREGEX=${regex}
    -P ${PROJECT_SOURCE_DIR}/cmake/compile_fail.cmake)
  set_tests_properties(compile_fail.${name} PROPERTIES LABELS compile_fail)
endfunction()

# kd_bench(name file [DEPS ...]): the google-benchmark program build/bench/name; not a test.
function(kd_bench name file)
  if(NOT KD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "DEPS")
  _kd_executable(bench_${name} ${PROJECT_BINARY_DIR}/bench ${file}
                 DEPS ${ARG_DEPS} benchmark::benchmark_main)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name})
endfunction()

# kd_bench_program(name file [ENGINE] [DEPS ...]): a benchmark with a main of its own. ENGINE: it uses
# libtorch, and its precompiled header.
function(kd_bench_program name file)
  if(NOT KD_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 ARG "ENGINE" "" "DEPS")
  _kd_executable(bench_${name} ${PROJECT_BINARY_DIR}/bench ${file} DEPS ${ARG_DEPS})
  if(ARG_ENGINE)
    kd_engine_headers(bench_${name})
  endif()
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name})
endfunction()

# kd_components(target [NOT_IN_UMBRELLA headers...]): registers what the target's headers declare for configs (KONFIG_COMPONENT,
# KONFIG_TYPE), with the comments of the fields for help texts: one generated source for each folder below.
# For umbrella headers, components.h of this folder includes all those headers but some, and that of a folder
# below includes its own: kd/components.h, kd/nn/components.h.
function(kd_components target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "NOT_IN_UMBRELLA")
  get_target_property(headers ${target} KD_HEADERS)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${header})
    set(part ${folder})
    if(path MATCHES "^([^/]+)/")
      set(part ${CMAKE_MATCH_1})
    endif()
    list(APPEND parts ${part})
    list(APPEND headers_of_${part} ${header})
  endforeach()
  list(REMOVE_DUPLICATES parts)
  foreach(part IN LISTS parts)
    _kd_generate(${target} ${CMAKE_CURRENT_BINARY_DIR}/components_${part}.cc register
                 ${PROJECT_SOURCE_DIR} ${headers_of_${part}})
    if(NOT part STREQUAL folder)
      _kd_umbrella(${target} ${folder}/${part} ${headers_of_${part}})
    endif()
  endforeach()
  list(TRANSFORM ARG_NOT_IN_UMBRELLA PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  foreach(header IN LISTS ARG_NOT_IN_UMBRELLA)
    if(NOT header IN_LIST headers)
      message(FATAL_ERROR "kd_components: ${header} is not a header of ${target}")
    endif()
  endforeach()
  list(REMOVE_ITEM headers ${ARG_NOT_IN_UMBRELLA})
  _kd_umbrella(${target} ${folder} ${headers})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${KD_GENERATED_INCLUDE_DIR}>)
endfunction()

# _kd_umbrella(target folder headers...): components.h of a folder.
function(_kd_umbrella target folder)
  file(MAKE_DIRECTORY ${KD_GENERATED_INCLUDE_DIR}/${folder})
  _kd_generate(${target} ${KD_GENERATED_INCLUDE_DIR}/${folder}/components.h umbrella ${PROJECT_SOURCE_DIR} ${ARGN})
endfunction()

# _kd_generate(target output mode arguments... headers...): a file that tools/components makes.
function(_kd_generate target output mode)
  set(headers ${ARGN})
  list(FILTER headers INCLUDE REGEX "\\.h$")
  set(arguments ${ARGN})
  list(REMOVE_ITEM arguments ${headers})
  # In a file: ninja prints the command below an error.
  list(JOIN headers "\n" lines)
  file(CONFIGURE OUTPUT ${output}.headers CONTENT "${lines}\n" @ONLY)
  add_custom_command(OUTPUT ${output} COMMAND components ${mode} ${output} ${arguments} ${output}.headers
    DEPENDS components ${output}.headers ${headers} COMMENT "Components: ${mode} for ${target}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  # Asked for by a target without libraries, too, it does not wait for those of the first one.
  file(RELATIVE_PATH name ${PROJECT_BINARY_DIR}/obj ${output})
  string(MAKE_C_IDENTIFIER generate_${name} name)
  add_custom_target(${name} DEPENDS ${output})
endfunction()
