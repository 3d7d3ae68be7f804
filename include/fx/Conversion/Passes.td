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
    assertion) become `cf.assert`, and draws of random numbers `fx_kernel.random`,
    in the order of the nodes.

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
           "into blocks of queries: the target has a kernel that stores no scores">
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
  let summary = "leave only what other compilers read";
  let description = [{
    After `convert-fx-to-linalg`: removes the `fx.` attributes and the states,
    so that a compiler that does not know the fx dialect takes the module as it
    is. Arguments and results keep their order: the user's inputs, then the
    states that are used; results that must be written back stand in front of
    the user's. An `fx.eager`, which only ATen runs, is an error.

    A function that draws random numbers takes the generator's state as one more
    argument, the last, and gives the new one as its first result:
    `tensor<628xi32>`, made by the function `@seed_generator` that is added.

    `embed-states` makes constants of the states that the model does not write.

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
    Makes a `func.func` of each public `fx.graph` with the operations of
    torch-mlir's torch dialect, for compilers that read that. The dialect is not
    linked: fx-opt needs `--allow-unregistered-dialect`, and which operators it
    has is for the reader to say. Every argument that the operator's schema has
    is given; immediates become `torch.constant.*`, lists
    `torch.prim.ListConstruct`.

    Arguments are the user's inputs, then the states that are used;
    `embed-states` makes `torch.vtensor.literal` of those that the graph does
    not write. Results are the graph's, written states in front. Sub-graphs have
    no form: inline them first.

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
  let summary = "lower functional graphs to TOSA, as far as it goes";
  let description = [{
    Makes a `func.func` of each public `fx.graph` in the TOSA dialect: pointwise
    operators, matmuls, reductions, softmax and what moves elements, on
    tensors of static sizes. An operator, or arguments of one, that TOSA cannot
    say are an error with its name. Arguments and results are those of
    `convert-fx-to-torch`.

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
  let summary = "lower operators that users registered a lowering for";
  let description = [{
    Runs after `convert-fx-to-linalg`: an `fx.eager` whose target has a lowering
    in the registry (fx/Custom/Operators.h) is replaced by what that builds. A
    lowering that fails is an error at the node.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // FX_CONVERSION_PASSES_TD
