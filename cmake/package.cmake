# What `cmake --install` adds so that another project can say find_package(kauldron).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kauldron)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/kauldronConfig.cmake.in ${PROJECT_BINARY_DIR}/kauldronConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/kauldronConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(FILES ${PROJECT_BINARY_DIR}/kauldronConfig.cmake
              ${PROJECT_BINARY_DIR}/kauldronConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/kd_torch.cmake DESTINATION ${package_dir})
install(EXPORT kauldronTargets NAMESPACE kauldron:: DESTINATION ${package_dir})

# The headers that users include. What they reach is installed with them, and nothing else.
set(KD_PUBLIC_HEADERS konfig/konfig.h konfig/config.h konfig/register.h konfig/sweep.h konfig/copy_fields.h
    konfig/docs.h konfig/export_hook.h konfig/freeze.h konfig/hash.h
    kontext/kontext.h flags/config_flag.h loader/loader.h loader/engine.h kxm/kxm.h tfimm/train/train.h
    kd/kd.h kd/model.h kd/run.h kd/engine/run_experiment.h
    kd/problems/engine/problem.h)
install(CODE "
  set(KD_PUBLIC_HEADERS ${KD_PUBLIC_HEADERS})
  set(KD_INCLUDE_DIRS ${PROJECT_SOURCE_DIR} ${KD_GENERATED_INCLUDE_DIR})
  set(KD_INCLUDE_DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  cmake_policy(SET CMP0011 NEW)  # of what it includes, policies end there
  include(${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake)")
