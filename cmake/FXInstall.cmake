# Installation, and the package that find_package(FX) finds: in the install
# tree under lib/cmake/FX, in the build tree by -DFX_DIR=<build>/lib/cmake/FX.
include(CMakePackageConfigHelpers)
if(SKBUILD)
  # All is in the Python package. fx_mlir_tools starts the tools.
  set(CMAKE_INSTALL_LIBDIR fx_mlir)
  set(CMAKE_INSTALL_BINDIR fx_mlir/bin)
  set(CMAKE_INSTALL_DATADIR fx_mlir/share)
endif()
include(GNUInstallDirs)

set(fx_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/FX")
get_property(fx_tools GLOBAL PROPERTY FX_TOOLS)

install(TARGETS FX EXPORT FXTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT FX)
if(SKBUILD)
  set(installed_tools fx-compile fx-opt fx-quantize fx-run fx-translate)
  set_target_properties(${installed_tools} PROPERTIES INSTALL_RPATH "\$ORIGIN/..;${LLVM_LIBRARY_DIRS}")
  if(FX_STATIC_LLVM)
    set_target_properties(${installed_tools} PROPERTIES INSTALL_RPATH "\$ORIGIN/..")
  endif()
else()
  set(installed_tools ${fx_tools})
endif()
install(TARGETS ${installed_tools} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
if(TARGET FXTorch)
  # Loaded at run time, never linked. A component of its own: a package for Debian lacks it.
  get_property(fx_torch_libraries GLOBAL PROPERTY FX_TORCH_LIBRARIES)
  install(TARGETS ${fx_torch_libraries} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    COMPONENT torch)
endif()
if(NOT SKBUILD)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/fx-mlir"
    RENAME copyright COMPONENT tools)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/rules/" DESTINATION "${CMAKE_INSTALL_DATADIR}/fx/rules"
  COMPONENT tools)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT headers
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td" PATTERN "*.h.inc"
  PATTERN CMakeFiles EXCLUDE)

# The package of a tree names the MLIR that libFX is linked against: another
# one in the same process would be a second copy.
function(fx_write_package root libdir includes destination)
  set(FX_PACKAGE_ROOT "${root}")
  set(FX_PACKAGE_LIBDIR "${libdir}")
  set(FX_PACKAGE_INCLUDES "${includes}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/FXConfig.cmake.in"
    "${destination}/FXConfig.cmake" INSTALL_DESTINATION "${fx_package_dir}"
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file("${destination}/FXConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
endfunction()

set(build_package "${PROJECT_BINARY_DIR}/lib/cmake/FX")
fx_write_package("\${CMAKE_CURRENT_LIST_DIR}/../../.." lib
  "${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}/include" "${build_package}")
export(EXPORT FXTargets NAMESPACE FX:: FILE "${build_package}/FXTargets.cmake")

set(install_package "${PROJECT_BINARY_DIR}/CMakeFiles/FXPackage")
file(RELATIVE_PATH up "/${fx_package_dir}" "/")
fx_write_package("\${CMAKE_CURRENT_LIST_DIR}/${up}" "${CMAKE_INSTALL_LIBDIR}"
  "\${FX_ROOT_DIR}/${CMAKE_INSTALL_INCLUDEDIR}" "${install_package}")
install(EXPORT FXTargets NAMESPACE FX:: DESTINATION "${fx_package_dir}" COMPONENT headers)
install(FILES "${install_package}/FXConfig.cmake" "${install_package}/FXConfigVersion.cmake"
  DESTINATION "${fx_package_dir}" COMPONENT headers)
