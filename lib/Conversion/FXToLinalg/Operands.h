//===- Operands.h - operands that are tensors or numbers --------*- C++ -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_FXTOLINALG_OPERANDS_H
#define FX_CONVERSION_FXTOLINALG_OPERANDS_H

#include "NodeLowering.h"

namespace fx::lin {

/// Operands that may be tensors or Python numbers, as values in the body of a
/// pointwise operation over `tensors`.
class Operands {
public:
  Operands(NodeLowering &n, llvm::ArrayRef<ArgName> names) {
    for (ArgName name : names) {
      Argument arg = n.arg(name);
      if (n.isTensor(arg)) {
        slots.push_back(int(tensors.size()));
        tensors.push_back(n.asTensor(arg));
      } else {
        slots.push_back(-1 - int(numbers.size()));
        numbers.push_back(n.number(name));
      }
    }
    if (tensors.empty())
      (void)n.fail("no operand is a tensor");
  }
  /// Computes the numbers in the compute type. Call before the body is built.
  void hoist(NodeLowering &n, mlir::Type compute) {
    for (const Number &number : numbers)
      hoisted.emplace_back(n.b, number, compute);
  }
  /// Returns operand `i`, where `v` are the elements of `tensors`.
  mlir::Value get(Scalars &s, mlir::ValueRange v, unsigned i) const {
    return slots[i] >= 0 ? v[slots[i]] : hoisted[-1 - slots[i]].in(s);
  }
  /// Returns operand `i` if it is a tensor, else null.
  const Tensor *tensor(unsigned i) const {
    return slots[i] >= 0 ? &tensors[slots[i]] : nullptr;
  }
  /// Returns operand `i` if it is a constant number.
  std::optional<double> constant(unsigned i) const {
    if (slots[i] >= 0 || !hoisted[-1 - slots[i]].isConstant())
      return std::nullopt;
    return hoisted[-1 - slots[i]].constant();
  }

  llvm::SmallVector<Tensor> tensors;
  llvm::SmallVector<Number> numbers;

private:
  /// For each operand: i for tensor i, -1 - i for number i.
  llvm::SmallVector<int> slots;
  llvm::SmallVector<Hoisted> hoisted;
};

} // namespace fx::lin

#endif // FX_CONVERSION_FXTOLINALG_OPERANDS_H
