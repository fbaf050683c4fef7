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
if(EXISTS ${WORK_DIR}/moved/bin/kd)
  run(${WORK_DIR}/moved/bin/kd --help)
endif()
file(REMOVE_RECURSE ${WORK_DIR})
