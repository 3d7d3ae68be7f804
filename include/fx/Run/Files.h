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

/// What a file in_<k>.npy must hold.
struct LeafFile {
  enum Use {
    Passed,  ///< there must be a file
    Absent,  ///< None and str: there must be none
    Ignored, ///< there may be one
  };
  std::string name;
  Use use = Passed;
  DType dtype = DType::F32;
};

/// The files of a signature's leaves.
llvm::SmallVector<LeafFile> getLeafFiles(const GraphSignature &signature);

/// Reads in_<k>.npy for every passed leaf k; any other in_<k>.npy is an error.
llvm::Expected<llvm::SmallVector<HostValue>>
readInputs(llvm::StringRef folder, llvm::ArrayRef<LeafFile> leaves);

/// Writes out_<k>.npy for every present value: all files beside their names
/// first, then renamed; on an error none is left.
llvm::Error writeOutputs(llvm::StringRef folder,
                         llvm::ArrayRef<HostValue> values);

/// Writes a text file beside its name, then renames it.
llvm::Error writeTextFile(llvm::StringRef path, llvm::StringRef text);

} // namespace fx

#endif // FX_RUN_FILES_H
