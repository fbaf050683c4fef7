# The language, optimisation, sanitizers and build tools that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
# CMake's own -O3 compiles slower and gains nothing here.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# build/kd, build/lib/libkonfig.so; the run path is relative, so the folder can be moved.
include(GNUInstallDirs)
set(CMAKE_INSTALL_LIBDIR lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_program(KD_CCACHE ccache)
if(KD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the first it would not cache sources that use a precompiled header; with the others all
  # checkouts share what one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${KD_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

find_program(KD_MOLD NAMES ld.mold mold)
if(KD_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Kept as a list of its own: the outside project of the install test needs the same ones.
set(KD_SANITIZER_FLAGS "")
if(KD_SANITIZE)
  list(APPEND KD_SANITIZER_FLAGS -fsanitize=${KD_SANITIZE} -fno-sanitize-recover=all
       -fno-omit-frame-pointer)
endif()
if(KD_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KD_LIBFUZZER needs clang, the compiler is ${CMAKE_CXX_COMPILER_ID}; "
                        "use: cmake --preset fuzz")
  endif()
  list(APPEND KD_SANITIZER_FLAGS -fsanitize=fuzzer-no-link)
endif()
add_compile_options(${KD_SANITIZER_FLAGS})
add_link_options(${KD_SANITIZER_FLAGS})

# For sources of inner loops (kernels.cc). They become vector code in full optimisation only, and when
# a square root sets no errno; all variants of a loop must give the same bits, so that nothing is fused
# that is not written so. With sanitizers there is no vector code, which is no mistake.
set(KD_KERNEL_OPTIONS -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(KD_SANITIZE)
  list(APPEND KD_KERNEL_OPTIONS -Wno-pass-failed)
endif()

# Warnings are errors for our own sources only; nobody who links to us gets these flags.
function(kd_warnings target)
  set(flags -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wextra-semi
      -Wunused)
  if(KD_WERROR)
    list(APPEND flags -Werror)
  endif()
  # Configs name the fields they set and leave out the rest: that is the idiom, not a slip.
  list(APPEND flags -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # `Wshadow=local` leaves parameters named like members alone; clang has nothing like it.
    # GCC 12 reports `"literal" + std::string` as overlapping memory (its bug 105651).
    # It also takes the inactive alternative of a std::variant for an uninitialised value.
    list(APPEND flags -Wshadow=local -Wno-restrict -Wno-maybe-uninitialized)
  endif()
  target_compile_options(${target} PRIVATE ${flags})
endfunction()
