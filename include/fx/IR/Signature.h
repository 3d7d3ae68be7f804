//===- Signature.h - what a graph takes and checks --------------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's side of an fx.graph: the flattened (args, kwargs) leaves, the
// symbols that their sizes bind, and the ranges and guards that every call
// must satisfy.
//
// As in torch, a lower bound of a range is checked only if it is more than 2:
// export assumes at least 2 for every dynamic size (Dim.AUTO records
// [2, inf]), but eager runs such a model on sizes 0 and 1 as well.
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_SIGNATURE_H
#define FX_IR_SIGNATURE_H

#include "fx/IR/FXDialect.h"
#include "fx/Support/HostTensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace fx {

enum class LeafKind { Tensor, Int, Float, Bool, None, String };

/// One leaf of the flattened (args, kwargs).
struct InputLeaf {
  std::string name;
  LeafKind kind = LeafKind::Tensor;
  /// The type of a tensor.
  FakeTensorType type;
  /// The expression of a scalar in the graph, or null.
  ExprAttr expr;
  /// The value that export specialised on, or null.
  mlir::Attribute constant;

  /// None and str leaves are counted but never passed.
  bool isPassed() const {
    return kind != LeafKind::None && kind != LeafKind::String;
  }
  /// Returns the dtype of the tensor, or of the 0-d tensor that represents a
  /// scalar; nullopt if `DType` does not have it.
  std::optional<DType> getDType() const;
};

/// The values of a graph's symbols in one call.
using SymbolValues = llvm::StringMap<int64_t>;

class GraphSignature {
public:
  /// Returns the signature of the module's graph @main.
  static llvm::Expected<GraphSignature> get(mlir::ModuleOp module);
  static llvm::Expected<GraphSignature> get(GraphOp graph);

  llvm::ArrayRef<InputLeaf> getInputs() const { return inputs; }
  GraphOp getGraph() const { return graph; }

  /// Checks the leaves of a call (one for each input, in order; None and str
  /// are absent) against dtypes, sizes, constants, ranges and guards. Returns
  /// the values of the symbols. Errors are `LocatedError`s at the input.
  llvm::Expected<SymbolValues> check(llvm::ArrayRef<HostValue> values) const;

private:
  llvm::Error checkLeaf(const InputLeaf &leaf, const HostValue &value) const;
  void bind(llvm::ArrayRef<HostValue> values, SymbolValues &symbols) const;
  llvm::Error checkSizes(llvm::ArrayRef<HostValue> values,
                         const SymbolValues &symbols) const;
  llvm::Error checkConditions(const SymbolValues &symbols) const;

  GraphOp graph;
  llvm::SmallVector<InputLeaf> inputs;
};

} // namespace fx

#endif // FX_IR_SIGNATURE_H
