# The libraries we build on; docs/dependencies.md says why these.
find_package(fmt REQUIRED)       # fmt::fmt
find_package(yaml-cpp REQUIRED)  # yaml-cpp

# Debian's packages of the two header-only ones differ in what targets they define: make our own.
function(kd_header_only name header)
  string(TOUPPER KD_${name}_INCLUDE_DIR variable)
  find_path(${variable} ${header} REQUIRED)
  add_library(kd_${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(kd_${name} SYSTEM INTERFACE ${${variable}})
endfunction()
find_path(KD_UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(KD_UTF8PROC_LIBRARY utf8proc REQUIRED)
add_library(kd_utf8proc UNKNOWN IMPORTED GLOBAL)
set_target_properties(kd_utf8proc PROPERTIES IMPORTED_LOCATION ${KD_UTF8PROC_LIBRARY})

kd_header_only(rapidjson rapidjson/reader.h)  # kd_rapidjson
kd_header_only(cli11 CLI/CLI.hpp)             # kd_cli11
kd_header_only(xxhash xxhash.h)               # kd_xxhash

if(KD_TESTS)
  find_package(GTest REQUIRED)      # GTest::gmock, GTest::gtest_main
  find_package(benchmark REQUIRED)  # benchmark::benchmark_main
  include(GoogleTest)
endif()
