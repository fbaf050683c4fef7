# libtorch, as kd_torch. scripts/setup_torch puts it in place; TORCH_ROOT names another one. A build
# folder stays with the one it began with, wherever HOME or XDG_CACHE_HOME point later: with another one,
# all would be compiled anew.
file(SHA256 ${PROJECT_SOURCE_DIR}/scripts/setup_torch version)
set(chosen "$ENV{TORCH_ROOT}")
if(NOT KD_TORCH_VERSION STREQUAL version OR NOT EXISTS "${KD_TORCH_ROOT}/lib/libtorch_cpu.so"
   OR (chosen AND NOT chosen STREQUAL KD_TORCH_ROOT))
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/setup_torch
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(KD_TORCH_ROOT ${root} CACHE INTERNAL "The folder of libtorch")
  set(KD_TORCH_VERSION ${version} CACHE INTERNAL "The script that found it")
endif()
message(STATUS "libtorch: ${KD_TORCH_ROOT}")

include(${CMAKE_CURRENT_LIST_DIR}/kd_torch.cmake)
