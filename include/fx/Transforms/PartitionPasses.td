//===- PartitionPasses.td - passes that cut graphs ---------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_PARTITIONPASSES_TD
#define FX_TRANSFORMS_PARTITIONPASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionPass : Pass<"fx-partition", "::mlir::ModuleOp"> {
  let summary = "split a graph into sub-graphs that are called as modules";
  let description = [{
    Nodes of the functional graph @main that belong together move into private
    graphs, each called by a `call_module`. Nodes belong together by:

    - `native`: what the compiler has native code for; what ATen would run stays
      in the graph. The graph counts as it is, so decompose first.
    - `device`: the device of their results.
    - `annotation`: the attribute `fx.partition = "name"` of a node, or the
      module path that it is in, where `modules` has that or one above it.
    - `cost`: `parts` runs of nodes whose times by the roofline are about equal.

    ```mlir
    %a = call_function @aten.exp.default(%x)
    %b = call_function @custom.odd.default(%a)
    %c = call_function @aten.sin.default(%b)
    // becomes, each with a body of one node
    %submod_0 = call_module @submod_0(%x) {fx.body = @main.submod_0}
    %b = call_function @custom.odd.default(%submod_0)
    %submod_1 = call_module @submod_1(%b) {fx.body = @main.submod_1}
    ```

    No block needs what needs the block: nodes that are parted by one that
    stays are in two blocks. Arithmetic on sizes goes where it is used. What
    draws random numbers or asserts keeps its order. States are inputs of the
    body that uses them and not of the call, so that a body is a model of its
    own. `fx-run --interpret` runs the calls, `fx-resolve-calls` puts the bodies
    back.

    With `report`, or `dry-run`, which changes nothing, a line for each block
    says its color, its nodes and the bytes that cross its boundary, and one for
    each node that is left why.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"by", "by", "std::string", "\"native\"",
           "'native', 'device', 'annotation' or 'cost'">,
    ListOption<"modules", "modules", "std::string",
               "Module paths for 'annotation'">,
    Option<"parts", "parts", "unsigned", "2", "Parts for 'cost'">,
    Option<"minSize", "min-size", "unsigned", "1",
           "Leave the nodes of a block that has fewer">,
    Option<"prefix", "prefix", "std::string", "\"submod\"",
           "What the calls are named after">,
    Option<"dryRun", "dry-run", "bool", "false",
           "Report what would be done, and do nothing">,
    Option<"report", "report", "std::string", "",
           "The file to write the report to; '-' is standard output">,
    Option<"sizeText", "sizes", "std::string", "",
           "Integers for symbols, as 's17=16,s3=4'">,
    Option<"peak", "peak", "double", "100", "GFLOP/s for 'cost'">,
    Option<"bandwidth", "bandwidth", "double", "20", "GB/s for 'cost'">
  ];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Sub-graphs that were made">,
    Statistic<"numInBlocks", "in-blocks", "Nodes that moved into them">,
    Statistic<"numLeft", "left", "Nodes that stayed">
  ];
}

def SchedulePass : Pass<"fx-schedule", "::mlir::ModuleOp"> {
  let summary = "order nodes so that less memory is in use at a time";
  let description = [{
    Reorders the nodes of functional graphs: of the nodes that could run next,
    the one that leaves least memory behind runs first. The order is kept only
    where its peak is smaller than before. Inputs and states do not count, and a
    view keeps what it shows. What draws random numbers, asserts or calls a
    sub-graph keeps its order. `fx-run --interpret` and the lowering follow it.

    Nodes that carry `fx.async`, or whose targets `async` names ('fallbacks' are
    all that ATen will run), are asynchronous: what leads to them comes first,
    what needs their results last, whatever the peak. Where ATen runs such a
    node, compiled code goes on beside it, on runs with more than one thread. To
    mark an operator that is not known is to say that it has no effect.

    ```mlir
    %a = call_function @aten.exp.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %b = call_function @aten.sin.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %c = call_function @aten.sum.default(%a) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    %d = call_function @aten.sum.default(%b) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    // becomes, with one vector at a time
    %a = call_function @aten.exp.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %c = call_function @aten.sum.default(%a) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    %b = call_function @aten.sin.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %d = call_function @aten.sum.default(%b) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"sizeText", "sizes", "std::string", "",
           "Integers for symbols, as 's17=16,s3=4'">,
    ListOption<"async", "async", "std::string",
               "Targets to start early, or 'fallbacks'">,
    Option<"remarks", "remarks", "bool", "false",
           "Remark on the peak before and after, in bytes">
  ];
  let statistics = [Statistic<"numScheduled", "scheduled", "Graphs reordered">];
}

def FusePass : Pass<"fx-fuse", "::mlir::ModuleOp"> {
  let summary = "put producers and consumers into named groups";
  let description = [{
    Nodes of the functional graph @main that one kernel can compute move into
    private graphs, each called by a `call_module` that is named after them:
    pointwise operators with those that alone use their results, a matmul or
    convolution with the pointwise operators behind it, reductions over rows
    with the pointwise operators around them. Views go along. What lies between
    two nodes of a group need not be stored.

    ```mlir
    %a = call_function @aten.linear.default(%x, %w)
    %b = call_function @aten.relu.default(%a)
    %c = call_function @aten.mul.Tensor(%b, 2.0)
    // becomes
    %fused_linear_relu_mul = call_module @fused_linear_relu_mul(%x) {fx.body = @main.fused_linear_relu_mul}
    ```

    Only the last node of a group is used outside. What draws random numbers,
    has effects, or makes no tensor stays. `fx-run --interpret` runs the calls,
    `fx-resolve-calls` puts the bodies back; `fx-compile` forms its kernels
    whether there are groups or not.
  }];
  let options = [
    Option<"minSize", "min-size", "unsigned", "2",
           "Leave groups of fewer nodes, views not counted">,
    Option<"maxSize", "max-size", "unsigned", "40", "Nodes of a group at most">,
    Option<"prefix", "prefix", "std::string", "\"fused\"",
           "What the names of groups begin with">
  ];
  let statistics = [
    Statistic<"numGroups", "groups", "Groups that were made">,
    Statistic<"numFused", "fused", "Nodes in them">
  ];
}

#endif // FX_TRANSFORMS_PARTITIONPASSES_TD
