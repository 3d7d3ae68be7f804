//===- GraphView.h - what drawings of a graph show --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_LIB_EXPORT_GRAPHVIEW_H
#define FX_LIB_EXPORT_GRAPHVIEW_H

#include "FXGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace fx {

/// What a report of fx-compile says of an operator.
struct OperatorMark {
  bool isNative = true;
  std::string reason;               ///< of a fallback
  std::optional<double> seconds;    ///< where the report has times
  std::vector<std::string> kernels; ///< that compute it
};
/// By `<graph's symbol>:<node's name>`.
using OperatorMarks = llvm::StringMap<OperatorMark>;

/// Reads the `operators` of a report, or the `nodes` of what fx-cost wrote, by
/// the names of their nodes; an empty path is no report. Error texts are
/// `<path>: <what is wrong>`.
mlir::LogicalResult readMarks(mlir::ModuleOp module, llvm::StringRef path,
                              OperatorMarks &marks);

/// The mark of a node, or null.
const OperatorMark *findMark(const OperatorMarks &marks, const FXNode &node,
                             const FXGraph &graph);

/// `f32[s77, 8]`, `Sym(s77)`, …, as torch.fx abbreviates types.
std::string describeType(mlir::Type type);
/// Of a node: the type of its value, or of its tuple's elements.
std::string describeType(const FXNode &node);

/// The path of the nn.Module that a node belongs to, `layer1.0`; empty where
/// it is not known.
std::string getModulePath(mlir::Operation *op);

/// `f(x, 1, alpha = 2)`: a node's arguments, in which names stand for nodes.
std::string describeArguments(const FXNode &node, const FXGraph &graph);

} // namespace fx

#endif // FX_LIB_EXPORT_GRAPHVIEW_H
