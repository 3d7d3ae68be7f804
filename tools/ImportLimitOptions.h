//===- ImportLimitOptions.h - options of tools that import ------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TOOLS_IMPORTLIMITOPTIONS_H
#define FX_TOOLS_IMPORTLIMITOPTIONS_H

#include "fx/Import/Limits.h"

#include "llvm/Support/CommandLine.h"

namespace fx {

/// The options of a tool for the limits of an import.
class ImportLimitOptions {
public:
  explicit ImportLimitOptions(llvm::cl::OptionCategory &category)
      : nodes("max-nodes",
              llvm::cl::desc("Refuse an archive with more nodes (0: no limit)"),
              llvm::cl::value_desc("n"), llvm::cl::cat(category)),
        textBytes("max-text-bytes",
                  llvm::cl::desc("Refuse an archive with more bytes of JSON "
                                 "(0: no limit)"),
                  llvm::cl::value_desc("n"), llvm::cl::cat(category)),
        seconds("max-import-seconds",
                llvm::cl::desc("Refuse an archive whose import takes longer "
                               "(0: no limit)"),
                llvm::cl::value_desc("seconds"), llvm::cl::cat(category)) {}

  ImportLimits get() const { return {nodes, textBytes, seconds}; }

private:
  llvm::cl::opt<uint64_t> nodes, textBytes;
  llvm::cl::opt<double> seconds;
};

} // namespace fx

#endif // FX_TOOLS_IMPORTLIMITOPTIONS_H
