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
    Groups nodes of the functional graph @main into blocks, moves each block
    into a private graph, and calls this graph by a `call_module`. The option
    `by` is the criterion for nodes of one block:

    - `native`: nodes for which the compiler has native code. Nodes that ATen
      would run stay in the graph. The pass looks at the graph as it is, so run
      `fx-decompose` before.
    - `device`: nodes whose results are on the same device.
    - `annotation`: nodes with the same attribute `fx.partition = "name"`, or
      nodes that belong to the same module path of the option `modules` or to a
      module below it.
    - `cost`: consecutive nodes. There are `parts` blocks whose times by the
      roofline model are about equal.

    ```mlir
    %a = call_function @aten.exp.default(%x)
    %b = call_function @custom.odd.default(%a)
    %c = call_function @aten.sin.default(%b)
    // becomes, each with a body of one node
    %submod_0 = call_module @submod_0(%x) {fx.body = @main.submod_0}
    %b = call_function @custom.odd.default(%submod_0)
    %submod_1 = call_module @submod_1(%b) {fx.body = @main.submod_1}
    ```

    There are no cyclic dependencies between blocks: if a node that stays in the
    graph depends on one node and is needed by another, these two nodes are in
    different blocks. Arithmetic on sizes joins the blocks that use it. Nodes
    that draw random numbers or assert keep their order. States are inputs of
    the body that uses them and not operands of the call, so that each body is a
    complete model. `fx-run --interpret` runs the calls, and `fx-resolve-calls`
    inlines the bodies again.

    The option `report` writes a line for each block with its color, its nodes
    and the bytes that cross its boundary, and a line for each node that stays
    with the reason. The option `dry-run` writes this report and does not change
    the graph.
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
  let summary = "order nodes to reduce the peak memory";
  let description = [{
    Reorders the nodes of functional graphs greedily: of the nodes that can run
    next, the one that increases live memory least comes first. The new order is
    used only if its peak is lower than before. Inputs and states do not count,
    and a view keeps the viewed tensor alive. Nodes that draw random numbers,
    assert or call a sub-graph keep their order. `fx-run --interpret` and the
    lowering run the nodes in this order.

    Nodes with the attribute `fx.async`, and nodes whose target the option
    `async` names ('fallbacks' stands for all nodes that ATen will run), are
    asynchronous: the nodes that they depend on come first, and the nodes that
    use their results come last, even if this increases the peak. In a run with
    more than one thread, ATen runs such a node concurrently with compiled code.
    An unknown operator that is marked is assumed to have no effects.

    Collectives (`_c10d_functional.all_reduce`) are asynchronous, too: the nodes
    that wait for them and use their results come last. They keep their order,
    which must be that of the other processes.

    ```mlir
    %a = call_function @aten.exp.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %b = call_function @aten.sin.default(%x) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[1000], f32>
    %c = call_function @aten.sum.default(%a) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    %d = call_function @aten.sum.default(%b) : (!fx.tensor<[1000], f32>) -> !fx.tensor<[], f32>
    // becomes, with one vector live at a time
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

def BucketAllReducesPass : Pass<"fx-bucket-all-reduces", "::mlir::ModuleOp"> {
  let summary = "combine small all-reduces into one communication";
  let description = [{
    Combines `_c10d_functional.all_reduce` nodes of functional graphs that have
    the same process group, reduction and dtype into one `all_reduce_coalesced`,
    of at most `max-bytes` bytes. It takes the place of the last one; nodes that
    use the results move behind it. The nodes must not depend on each other, and
    no other collective may be between them. All processes of the group must run
    programs that this pass has rewritten.

    ```mlir
    %p = call_function @_c10d_functional.all_reduce.default(%a, "sum", "0")
    %x = call_function @_c10d_functional.wait_tensor.default(%p)
    %q = call_function @_c10d_functional.all_reduce.default(%b, "sum", "0")
    %y = call_function @_c10d_functional.wait_tensor.default(%q)
    // becomes
    %p, %q = call_function @_c10d_functional.all_reduce_coalesced.default([%a, %b], "sum", "0")
    %x = call_function @_c10d_functional.wait_tensor.default(%p)
    %y = call_function @_c10d_functional.wait_tensor.default(%q)
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "26214400",
           "The size of a bucket in bytes">,
    Option<"sizeText", "sizes", "std::string", "",
           "Integers for symbols, as 's17=16,s3=4'">
  ];
  let statistics = [Statistic<"numBuckets", "buckets", "Buckets made">];
}

def FusePass : Pass<"fx-fuse", "::mlir::ModuleOp"> {
  let summary = "put producers and consumers into named groups";
  let description = [{
    Moves nodes of the functional graph @main that one kernel can compute into a
    private graph, and calls it by a `call_module` that is named after the
    nodes. A group consists of pointwise operators whose results only the group
    uses, of a matmul or convolution and the pointwise operators after it, or of
    reductions over rows and the pointwise operators before and after them.
    Views join the groups of their users. Values between the nodes of a group
    need not be stored.

    ```mlir
    %a = call_function @aten.linear.default(%x, %w)
    %b = call_function @aten.relu.default(%a)
    %c = call_function @aten.mul.Tensor(%b, 2.0)
    // becomes
    %fused_linear_relu_mul = call_module @fused_linear_relu_mul(%x) {fx.body = @main.fused_linear_relu_mul}
    ```

    Only the last node of a group has users outside. Nodes that draw random
    numbers, have effects, or do not compute a tensor stay in the graph.
    `fx-run --interpret` runs the calls, and `fx-resolve-calls` inlines the
    bodies again. `fx-compile` forms its kernels independently of these groups.
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
