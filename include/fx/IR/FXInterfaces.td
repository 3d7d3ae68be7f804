//===- FXInterfaces.td - interfaces of the fx dialect ------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXINTERFACES_TD
#define FX_IR_FXINTERFACES_TD

include "mlir/IR/OpBase.td"

def FX_NodeOpInterface : OpInterface<"NodeOpInterface"> {
  let cppNamespace = "::fx";
  let description = [{
    A node with a target and an argument tree: `args` holds the trees of the
    positional and then of the keyword arguments; `kwnames` holds the names of
    the keyword arguments, which are the last ones. A leaf `#fx.operand` is a
    value (the i-th in order is operand i), every other leaf an immediate.
    `outs` is the tree of results if it is not one leaf for each result (a
    `Tensor[]` result, a None).
  }];
  let methods = [
    InterfaceMethod<"The target, `aten.add.Tensor`.", "::llvm::StringRef", "getTargetName">,
    InterfaceMethod<"The argument trees.", "::mlir::ArrayAttr", "getArgs">,
    InterfaceMethod<"Names of the trailing arguments.", "::mlir::ArrayAttr", "getKwnames">,
    InterfaceMethod<"The tree of results, or null.", "::mlir::ArrayAttr", "getOutsAttr">
  ];
}

#endif // FX_IR_FXINTERFACES_TD
