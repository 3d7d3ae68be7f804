//===- TorchRelease.h - the torch that libFXTorch needs ---------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_TORCHRELEASE_H
#define FX_SUPPORT_TORCHRELEASE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fx {

/// Returns why the libFXTorch.so at `path` cannot use the LibTorch that the
/// process has loaded, or else the one beside the library's folder; an empty
/// text if it can, or if neither is there. LibTorch's C++ interface is that of
/// one release. A library that FX_TORCH_LIBRARY names is not checked.
std::string getTorchMismatch(llvm::StringRef path);

/// Returns the reason why dlopen of libFXTorch.so at `path` failed, and the
/// torch that it needs.
std::string getTorchLoadError(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_TORCHRELEASE_H
