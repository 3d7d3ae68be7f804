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
    Converts each public `fx.graph` to a `func.func` that implements PyTorch's
    semantics in linalg, tensor, arith, math and scf. Private graphs are inlined
    into the higher-order operators that use them (`cond` becomes `scf.if`).

    The arguments are the user inputs in flattened order (tensors, i64, f64 or
    i1; None and str have no argument), then the states that are used. They have
    the attributes `fx.name`, `fx.type` (the symbolic type) and `fx.kind`, and
    states also have `fx.state`, `fx.mutable` and `fx.non_persistent`. The
    function has the
    attributes `fx.symbols`, `fx.guards`, `fx.inputs` and `fx.outputs`. Results
    have `fx.type`, and `fx.mutates` or `fx.mutates_input` (an argument number)
    if they must be written back.

    A node without a lowering becomes `fx.eager` with the reason, so that every
    node is converted. Data-dependent conditions (an index out of bounds, a
    failed assertion) become `cf.assert`, and draws of random numbers
    `fx_kernel.random`, in the order of the nodes.

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
  let options = [
    Option<"wholeHeads", "whole-heads", "int64_t", "0",
           "attention of bf16 and f16 with heads of at most this size is not cut "
           "into blocks of queries: the target has a kernel that stores no scores">,
    Option<"wholeFloatHeads", "whole-float-heads", "int64_t", "0",
           "the same for attention of f32">,
    Option<"roundsFloats", "rounds-floats", "bool", "false",
           "fx-lower-precision follows: of attention of f32, only that over a "
           "cache is not cut into blocks">,
    Option<"rowKernels", "row-kernels", "bool", "false",
           "convert sorts and scans to fx_kernel.sort and fx_kernel.scan: the "
           "target has kernels for them">,
    Option<"rotatesHalves", "rotates-halves", "bool", "false",
           "convert cat([-u, v], -1), as in rotary embeddings, to one pointwise "
           "op">
  ];
  let dependentDialects = [
    "::fx::FXDialect", "::fx::kernel::FXKernelDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFallbacks", "fallbacks", "nodes that became fx.eager">
  ];
}

def StripFXAttributes : Pass<"fx-strip-attributes", "::mlir::ModuleOp"> {
  let summary = "remove attributes and states of the fx dialect";
  let description = [{
    Runs after `convert-fx-to-linalg`. Removes the `fx.` and `fx_kernel.`
    attributes and the states, so that a compiler without the fx dialect can
    read the module.
    Arguments and results keep their order. Arguments are the user's inputs,
    then the states that are used. Results are the values that must be written
    back, then the user's outputs. An `fx.eager` is an error, since only ATen
    can run it.

    A function that draws random numbers gets the state of the generator, a
    `tensor<628xi32>`, as an additional last argument and returns the new state
    as its first result. The pass adds the function `@seed_generator`, which
    returns an initial state.

    `embed-states` converts the states that the model does not write to
    constants.

    ```mlir
    func.func @main(%x: tensor<?xf32> {fx.name = "x"}, %w: tensor<4xf32> {fx.state = @w}) ...
    // becomes
    func.func @main(%x: tensor<?xf32>, %w: tensor<4xf32>) ...
    ```
  }];
  let options = [
    Option<"embedStates", "embed-states", "bool", "false",
           "Make constants of states that are only read">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ConvertFXToTorch : Pass<"convert-fx-to-torch", "::mlir::ModuleOp"> {
  let summary = "lower functional graphs to the torch dialect, in generic form";
  let description = [{
    Converts each public `fx.graph` to a `func.func` with operations of
    torch-mlir's torch dialect, for compilers that read this dialect. The
    dialect is not linked: fx-opt needs `--allow-unregistered-dialect`, and this
    pass does not check whether the dialect has an operator. Each operation has
    all arguments of the operator's schema. Immediates become
    `torch.constant.*`, lists `torch.prim.ListConstruct`.

    Arguments are the user's inputs, then the states that are used.
    `embed-states` converts the states that the graph does not write to
    `torch.vtensor.literal`. Results are the mutated states, then the other
    results of the graph. Sub-graphs cannot be converted; inline them first.

    ```mlir
    fx.graph @main attributes {functional} {
      %x = placeholder "x" : !fx.tensor<[4], f32>
      %relu = call_function @aten.relu.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
      output(%relu) : (!fx.tensor<[4], f32>)
    }
    // becomes
    func.func @main(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
      %relu = "torch.aten.relu"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
      return %relu : !torch.vtensor<[4],f32>
    }
    ```
  }];
  let options = [
    Option<"embedStates", "embed-states", "bool", "false",
           "Make literals of states that are only read">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ConvertFXToTosa : Pass<"convert-fx-to-tosa", "::mlir::ModuleOp"> {
  let summary = "lower functional graphs to TOSA";
  let description = [{
    Converts each public `fx.graph` to a `func.func` in the TOSA dialect. The
    pass converts pointwise operators, matmuls, reductions, softmax and
    operators that move elements, on tensors of static sizes. An operator that
    TOSA cannot express, or cannot express with the given arguments, is an error
    that names it. Arguments and results are those of `convert-fx-to-torch`.

    ```mlir
    fx.graph @main attributes {functional} {
      %x = placeholder "x" : !fx.tensor<[4], f32>
      %tanh = call_function @aten.tanh.default(%x) : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
      output(%tanh) : (!fx.tensor<[4], f32>)
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %tanh = tosa.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
      return %tanh : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"embedStates", "embed-states", "bool", "false",
           "Make constants of states that are only read">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tosa::TosaDialect"];
}

def LowerCustom : Pass<"fx-lower-custom", "::mlir::ModuleOp"> {
  let summary = "lower operators for which users registered a lowering";
  let description = [{
    Runs after `convert-fx-to-linalg`. Replaces each `fx.eager` whose target has
    a registered lowering (fx/Operators/Custom.h) by the operations that the
    lowering builds. A lowering that fails is an error at the node.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // FX_CONVERSION_PASSES_TD
