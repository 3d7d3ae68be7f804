//===- MappedFile.h - files in memory ------------------*- C++ -*----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_MAPPEDFILE_H
#define FX_SUPPORT_MAPPEDFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace fx {

/// Maps a file read-only. Returns an empty region for an empty file.
llvm::Expected<llvm::sys::fs::mapped_file_region> mapFile(llvm::StringRef path);

} // namespace fx

#endif // FX_SUPPORT_MAPPEDFILE_H
