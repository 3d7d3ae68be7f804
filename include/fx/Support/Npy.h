//===- Npy.h - reading and writing .npy files -------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes numpy's array files (format versions 1.0, 2.0 and 3.0,
// little endian), as numpy's `numpy/lib/format.py` documents them. Files are
// untrusted: the header is parsed strictly, and the length of the file must
// agree with it.
//
// dtypes that numpy does not have are raw bytes: bfloat16 is V2, complex32 is
// V4, and the float8 types are V1.
//
//===----------------------------------------------------------------------===//

#ifndef FX_SUPPORT_NPY_H
#define FX_SUPPORT_NPY_H

#include "fx/Support/HostTensor.h"
#include "llvm/Support/Error.h"

namespace fx {

/// The array of a file, in C order.
struct NpyArray {
  /// numpy's kind character: b i u f c V.
  char kind = 'f';
  unsigned itemBytes = 4;
  llvm::SmallVector<int64_t, 6> sizes;
  std::shared_ptr<char> data;

  /// Returns "float32[2, 3]" or "V2[2, 3]".
  std::string describe() const;
};

/// Reads a whole file. Error texts do not contain the path.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// As `readNpy`, but reads from memory.
llvm::Expected<NpyArray> parseNpy(llvm::ArrayRef<char> bytes);

/// Returns the array as a tensor of `dtype`. Fails if its elements have another
/// type; raw bytes are accepted for a dtype that numpy does not have.
llvm::Expected<HostTensor> toHostTensor(const NpyArray &array, DType dtype);

/// Writes `tensor` to `path`, which must not exist.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace fx

#endif // FX_SUPPORT_NPY_H
