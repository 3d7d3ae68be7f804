//===- Distributed.h - fx-run under torchrun --------------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_RUN_DISTRIBUTED_H
#define FX_LIB_RUN_DISTRIBUTED_H

#include "fx/IR/Signature.h"
#include "fx/Interpreter/Distributed.h"
#include "fx/Run/Run.h"

namespace fx {

/// Joins the other ranks if the environment is that of torchrun; returns null
/// otherwise. Replaces `{rank}` in the paths of the options.
llvm::Expected<std::unique_ptr<DistributedSession>>
joinRanks(RunOptions &options);

/// Returns the values of the symbols of graph @main for `inputs`; none if the
/// inputs do not fit.
SymbolValues getSymbolValues(mlir::ModuleOp module,
                             llvm::ArrayRef<HostValue> inputs);

/// Adds the values of the symbols in the sizes of each collective to its text.
std::vector<Collective> listWithSymbols(std::vector<Collective> collectives,
                                        const SymbolValues &symbols);

} // namespace fx

#endif // FX_LIB_RUN_DISTRIBUTED_H
