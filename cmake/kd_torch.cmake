# kd_torch: libtorch in the folder KD_TORCH_ROOT, for this build and for projects that use an installed
# copy. The wheel's own CMake package wants a CUDA tool kit; two libraries and the headers are all we need.
foreach(library torch_cpu c10)
  add_library(kd_${library} SHARED IMPORTED GLOBAL)
  set_target_properties(kd_${library} PROPERTIES
    IMPORTED_LOCATION ${KD_TORCH_ROOT}/lib/lib${library}.so)
endforeach()
add_library(kd_torch INTERFACE IMPORTED GLOBAL)
target_include_directories(kd_torch SYSTEM INTERFACE ${KD_TORCH_ROOT}/include)
target_compile_definitions(kd_torch INTERFACE AT_PER_OPERATOR_HEADERS)
target_link_libraries(kd_torch INTERFACE kd_torch_cpu kd_c10)
