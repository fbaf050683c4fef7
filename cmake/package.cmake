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
