# A test: installs the build, moves it, and builds and runs a project that only knows that copy.
# Needs BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR, CXX, CXX_FLAGS and CONFIG.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/installed)
# Nothing in an installed copy may remember where it was put first.
file(RENAME ${WORK_DIR}/installed ${WORK_DIR}/moved)

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/outside -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/outside)
run(${CMAKE_COMMAND} -E chdir ${WORK_DIR}
    ${CMAKE_COMMAND} -E env KD_STATE=${WORK_DIR}/state ${WORK_DIR}/build/launch)
run(${WORK_DIR}/build/experiment)
run(${WORK_DIR}/build/run --problem_class=ClassificationProblem --help)

# Keys are bound by order: another order is refused, also in a header and in a directory below.
set(swapped ${WORK_DIR}/swapped)
file(WRITE ${swapped}/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(swapped LANGUAGES CXX)
find_package(kauldron REQUIRED)
add_subdirectory(models)
")
file(WRITE ${swapped}/models/CMakeLists.txt "add_library(models STATIC models.cc)\n")
file(WRITE ${swapped}/models/models.cc "#include \"blend.h\"\n")
file(WRITE ${swapped}/models/blend.h "struct Key {};
struct Blend {
  Key first, second;
  void call(int second, int first) const;
};
")
run(${CMAKE_COMMAND} -S ${swapped} -B ${swapped}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${swapped}/build RESULT_VARIABLE code
                OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(code EQUAL 0 OR NOT text MATCHES "blend.h:4: Blend::call takes 'second' before 'first'")
  message(FATAL_ERROR "keys in another order were not refused: ${text}")
endif()
file(READ ${swapped}/models/blend.h text)
string(REPLACE "int second, int first" "int first, int second" text "${text}")
file(WRITE ${swapped}/models/blend.h "${text}")
run(${CMAKE_COMMAND} --build ${swapped}/build)

# A project of one's own, from nothing: its tests, and some steps of training with its code. The program is
# the installed one in long tests only: it would precompile its own copy of the headers first.
set(kd ${BUILD_DIR}/kd)
set(ENV{XDG_CACHE_HOME} ${BUILD_DIR}/cli_test_cache)
set(tests parts)
if(DEFINED ENV{KD_TEST_FULL})
  set(kd ${WORK_DIR}/moved/bin/kd)
  set(tests ".*")
endif()
set(project ${WORK_DIR}/spirals)
run(${WORK_DIR}/moved/bin/kd new ${project})
run(${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/moved)
run(${CMAKE_COMMAND} --build ${project}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${project}/build --output-on-failure -R ${tests})
run(${kd} train --cfg=${project}/config.cc --cfg.workdir=${project}/run --cfg.num_train_steps=200)
run(${CMAKE_COMMAND} -E cat ${project}/run/eval/metrics.csv)
file(STRINGS ${project}/run/eval/metrics.csv rows)
list(GET rows -1 last)
if(NOT EXISTS ${project}/run/train_complete.txt OR NOT last MATCHES "^200,")
  message(FATAL_ERROR "the project did not train: ${last}")
endif()
file(REMOVE_RECURSE ${WORK_DIR})
