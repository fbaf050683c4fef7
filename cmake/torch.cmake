# libtorch, as kd_torch. scripts/setup_torch puts it in place; TORCH_ROOT names another one.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/setup_torch
  OUTPUT_VARIABLE KD_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "libtorch: ${KD_TORCH_ROOT}")

include(${CMAKE_CURRENT_LIST_DIR}/kd_torch.cmake)
