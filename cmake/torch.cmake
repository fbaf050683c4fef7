# libtorch, as kd_torch. scripts/setup_torch puts it in place; TORCH_ROOT names another one.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/setup_torch
  OUTPUT_VARIABLE KD_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "libtorch: ${KD_TORCH_ROOT}")

# The wheel's own CMake package wants a CUDA tool kit; two libraries and the headers are all we need.
foreach(library torch_cpu c10)
  add_library(kd_${library} SHARED IMPORTED GLOBAL)
  set_target_properties(kd_${library} PROPERTIES
    IMPORTED_LOCATION ${KD_TORCH_ROOT}/lib/lib${library}.so)
endforeach()
add_library(kd_torch INTERFACE IMPORTED GLOBAL)
target_include_directories(kd_torch SYSTEM INTERFACE ${KD_TORCH_ROOT}/include)
target_compile_definitions(kd_torch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_libraries(kd_torch INTERFACE kd_torch_cpu kd_c10)
