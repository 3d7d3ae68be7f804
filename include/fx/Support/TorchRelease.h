//===- TorchRelease.h - the torch that libFXTorch needs ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_TORCHRELEASE_H
#define FX_SUPPORT_TORCHRELEASE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fx {

/// Returns the path of the libFXTorch.so to load. `path` is the library for the
/// release of torch that fx-mlir is built with; beside it may be libraries for
/// other releases, such as libFXTorch-2.15.so, because LibTorch's C++ interface
/// is that of one release. The release is that of the LibTorch that the process
/// has loaded, or else of the torch in the folder beside the library's folder.
/// Returns an error that names both releases if there is no library for it, and
/// `path` if neither torch is there or the environment variable
/// FX_TORCH_LIBRARY names the library.
llvm::Expected<std::string> selectTorchLibrary(llvm::StringRef path);

/// Returns the reason why dlopen of libFXTorch.so at `path` failed, and the
/// torch that it needs.
std::string getTorchLoadError(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_TORCHRELEASE_H
