//===- Files.h - input and output folders of fx-run -------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_RUN_FILES_H
#define FX_RUN_FILES_H

#include "fx/IR/Signature.h"
#include "fx/Support/HostTensor.h"
#include "llvm/Support/Error.h"

namespace fx {

/// Describes the file in_<k>.npy of one leaf of the flattened inputs.
struct LeafFile {
  enum Use {
    Passed,  ///< the file must exist
    Absent,  ///< None or str: the file must not exist
    Ignored, ///< the file may exist and is not read
  };
  std::string name;
  Use use = Passed;
  DType dtype = DType::F32;
};

/// Returns the description of in_<k>.npy for every leaf k of `signature`. The
/// dtype of a leaf without a known dtype is F32.
llvm::SmallVector<LeafFile> getLeafFiles(const GraphSignature &signature);

/// Reads in_<k>.npy from `folder` for every passed leaf k. The other values are
/// absent. Fails if a file is missing or does not fit its leaf, or if `folder`
/// has a file for a leaf that is absent or does not exist. `folder` may be
/// empty if no leaf is passed. Errors are `LocatedError`s whose place is the
/// path.
llvm::Expected<llvm::SmallVector<HostValue>>
readInputs(llvm::StringRef folder, llvm::ArrayRef<LeafFile> leaves);

/// Writes out_<k>.npy to `folder` for every present value k. Writes all files
/// under temporary names first, then renames them; on an error no file remains.
/// Does nothing if `folder` is empty.
llvm::Error writeOutputs(llvm::StringRef folder,
                         llvm::ArrayRef<HostValue> values);

} // namespace fx

#endif // FX_RUN_FILES_H
