# `cpack -G DEB` in the build folder: a package for Debian of the tools, libFX, its headers and its
# CMake package, on the LLVM of the distribution or of apt.llvm.org. libFXTorch is not a part of it:
# it needs the torch of a Python environment, whose wheel of fx-mlir has it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fx-mlir)
set(CPACK_PACKAGE_VENDOR "fx-mlir")
set(CPACK_PACKAGE_CONTACT "the authors of fx-mlir <fx-mlir@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for PyTorch models, on MLIR")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL FX tools headers)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries' packages, by what the files are linked with.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
# libFX finds libLLVM by a link in LLVM's folder, which dpkg-shlibdeps takes for no package's file.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}")
# find_package(FX) finds MLIR's.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "libmlir-${LLVM_VERSION_MAJOR}-dev, llvm-${LLVM_VERSION_MAJOR}-dev, mlir-${LLVM_VERSION_MAJOR}-tools")
include(CPack)
