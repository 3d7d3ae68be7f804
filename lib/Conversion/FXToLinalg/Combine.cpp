//===- Combine.cpp - how elements become one ------------------------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combine.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace fx::lin {

std::optional<Combine> combineOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Combine>>(name)
      .Cases({"sum", "add"}, Combine::Sum)
      .Cases({"prod", "multiply"}, Combine::Product)
      .Case("mean", Combine::Mean)
      .Cases({"amax", "max"}, Combine::Max)
      .Cases({"amin", "min"}, Combine::Min)
      .Default(std::nullopt);
}

Value combine(Scalars &s, Combine how, Value old, Value v) {
  switch (how) {
  case Combine::Set:
    return v;
  case Combine::Sum:
  case Combine::Mean:
    return s.add(old, v);
  case Combine::Product:
    return s.mul(old, v);
  case Combine::Max:
    return s.max(old, v);
  case Combine::Min:
    return s.min(old, v);
  }
  llvm_unreachable("every case returns");
}

Value neutral(Scalars &s, Combine how) {
  switch (how) {
  case Combine::Sum:
  case Combine::Mean:
    return s.constant(0);
  case Combine::Product:
    return s.constant(1);
  case Combine::Max:
    return s.lowest();
  case Combine::Min:
    return s.highest();
  case Combine::Set:
    break;
  }
  llvm_unreachable("an element that is set has no neutral one");
}

} // namespace fx::lin
