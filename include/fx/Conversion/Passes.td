//===- Passes.td - conversions out of the fx dialect -------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_CONVERSION_PASSES_TD
#define FX_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertFXToLinalg : Pass<"convert-fx-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower functional graphs to linalg on tensors";
  let description = [{
    Makes a `func.func` of each public `fx.graph`, with PyTorch's semantics in
    linalg, tensor, arith, math and scf. Private graphs are inlined where a
    higher-order operator uses them (`cond` becomes `scf.if`).

    Arguments are the user inputs in flattened order (tensors, i64, f64 or i1;
    None and str have none), then the states that are used. Argument attributes
    `fx.name`, `fx.type` (the symbolic type), `fx.kind`, and for states
    `fx.state` and `fx.mutable`; function attributes `fx.symbols`, `fx.guards`,
    `fx.inputs` and `fx.outputs`. Results carry `fx.type`, and `fx.mutates`
    or `fx.mutates_input` (an argument number) where they must be written back.

    A node without a lowering becomes `fx.eager` with the reason; no node is
    refused. Data-dependent conditions (an index out of bounds, a failed
    assertion) become `cf.assert`.

    ```mlir
    fx.graph @main symbols [s0 in [2, 8]] attributes {functional} {
      %x = placeholder "x" : !fx.tensor<[s0], f32>
      %relu = call_function @aten.relu.default(%x)
        : (!fx.tensor<[s0], f32>) -> !fx.tensor<[s0], f32>
      output(%relu) : (!fx.tensor<[s0], f32>)
    }
    // becomes
    func.func @main(%x: tensor<?xf32> {fx.name = "x", ...})
        -> (tensor<?xf32> {fx.type = !fx.tensor<[s0], f32>}) {
      %c0 = arith.constant 0 : index
      %s0 = tensor.dim %x, %c0 : tensor<?xf32>
      %init = tensor.empty(%s0) : tensor<?xf32>
      %relu = linalg.generic ...
      return %relu : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::fx::FXDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFallbacks", "fallbacks", "nodes that became fx.eager">
  ];
}

#endif // FX_CONVERSION_PASSES_TD
