//===- Collectives.cpp - operators that processes run together ------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fx/Operators/Collectives.h"

bool fx::isCollective(llvm::StringRef target) {
  auto [space, name] = target.split('.');
  if (space == "_dtensor")
    return true;
  // `wait_tensors` is of torch 2.15. `_wrap_tensor_autograd`, which Python
  // registers, communicates nothing.
  return (space == "_c10d_functional" ||
          space == "_c10d_functional_autograd") &&
         !name.starts_with("wait_tensor") && !name.starts_with("_wrap_tensor");
}

bool fx::isWaitTensor(llvm::StringRef target) {
  return target == "_c10d_functional.wait_tensor.default";
}
