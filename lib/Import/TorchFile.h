//===- TorchFile.h - reads dicts of tensors of torch.save -------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch 2.8 keeps all weights in one file of torch.save within the archive,
// `data/weights/<name>.pt`, and all constants in another one.
// A tensor subclass of torchao is in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_IMPORT_TORCHFILE_H
#define FX_LIB_IMPORT_TORCHFILE_H

#include "fx/Import/Archive.h"
#include "fx/Import/Schema.h"
#include "llvm/Support/Allocator.h"

namespace fx {

/// Describes the tensors of a file of torch.save as the configuration of newer
/// archives does. `pickle` is the record `data.pkl` of the file; `folder` is
/// the folder of its records, relative to that of the configuration. The error
/// text is to be appended to the name of the pickle.
llvm::Expected<schema::PayloadConfig>
decodeTorchFile(llvm::StringRef pickle, llvm::StringRef folder,
                llvm::BumpPtrAllocator &strings);

/// A tensor subclass of torchao: the names of its tensors, as attributes of the
/// class, and their descriptions.
struct SubclassFile {
  std::vector<std::pair<llvm::StringRef, schema::PayloadMeta>> tensors;
};

/// Describes the tensors of a tensor subclass. `pickle` and `folder` are as
/// above. Refuses all classes and functions but those of torchao's weights of
/// integers.
llvm::Expected<SubclassFile>
decodeSubclassFile(llvm::StringRef pickle, llvm::StringRef folder,
                   llvm::BumpPtrAllocator &strings);

} // namespace fx

#endif // FX_LIB_IMPORT_TORCHFILE_H
