//===- BuildId.h - which build of a library runs ----------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_BUILDID_H
#define FX_SUPPORT_BUILDID_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fx {

/// Returns what identifies the code at `address`: the linker's build ID of the
/// executable or library that contains it, or else its path, size and time of
/// change. Empty if neither can be read.
std::string getBuildId(const void *address);

/// Returns the path, size and time of change of a file, which identify a
/// program without a build ID. Empty if they cannot be read.
std::string getFileId(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_BUILDID_H
