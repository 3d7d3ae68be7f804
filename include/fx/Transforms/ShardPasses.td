//===- ShardPasses.td - passes that divide programs --------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_SHARDPASSES_TD
#define FX_TRANSFORMS_SHARDPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardPass : Pass<"fx-shard", "::mlir::ModuleOp"> {
  let summary = "make the program of one rank of a tensor-parallel model";
  let description = [{
    Divides weights between the ranks of a process group by a plan, and inserts
    the collectives that the functional graph @main then needs. The result is
    the program of one rank, with its part of the weights.

    The plan has a line for each module, parameter, buffer or input that is
    divided. Paths and styles are those of torch's `parallelize_module`:

    ```
    layers.*.attention.wq: colwise      # the rows of a linear's weight
    layers.*.attention.wo: rowwise      # its columns
    tok_embeddings: rowwise             # the vocabulary
    h.*.attn.c_attn: colwise [64, 32, 32]  # three weights in one
    experts.down: shard 1               # a dimension of a parameter or input
    ```

    `*` stands for any characters within one part of a path, and `**` for any
    number of parts. The first line that matches counts.

    ```mlir
    %y = call_function @aten.linear.default(%x, %up) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[16, 8], f32>) -> !fx.tensor<[2, 16], f32>
    %z = call_function @aten.linear.default(%y, %down) : (!fx.tensor<[2, 16], f32>, !fx.tensor<[8, 16], f32>) -> !fx.tensor<[2, 8], f32>
    // becomes, with two ranks
    %y = call_function @aten.linear.default(%x, %up) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[2, 8], f32>
    %z = call_function @aten.linear.default(%y, %down) : (!fx.tensor<[2, 8], f32>, !fx.tensor<[8, 8], f32>) -> !fx.tensor<[2, 8], f32>
    %all_reduce = call_function @_c10d_functional.all_reduce.default(%z, "sum", "0")
    %wait_tensor = call_function @_c10d_functional.wait_tensor.default(%all_reduce)
    ```

    Each value is whole (Replicate), divided in a dimension (Shard) or a summand
    (Partial), as in DTensor. Rules of the operators propagate this from the
    weights. A state of which every use needs the same part is divided, too:
    biases, and caches of keys and values. A node without a rule gets whole
    operands, by an all-gather, and the pass remarks on it. Inputs and outputs
    of the user are whole unless the plan names the input.

    All ranks must be made from the same program with the same plan.
  }];
  let options = [
    Option<"planFile", "plan", "std::string", "", "The file of the plan">,
    Option<"rules", "rules", "std::string", "",
           "More lines of the plan, with ';' between them">,
    Option<"rank", "rank", "unsigned", "0", "The rank of the program">,
    Option<"ranks", "ranks", "unsigned", "1", "The number of ranks">,
    Option<"group", "group", "std::string", "\"0\"",
           "The name of the process group">
  ];
  let statistics = [
    Statistic<"numDivided", "divided", "States that were divided">,
    Statistic<"numReductions", "reductions", "All-reduces inserted">,
    Statistic<"numGathers", "gathers", "All-gathers inserted">
  ];
}

def StagePass : Pass<"fx-stage", "::mlir::ModuleOp"> {
  let summary = "make the program of one stage of a pipeline";
  let description = [{
    Cuts the functional graph @main into consecutive stages of about equal time
    by the roofline model, where the fewest bytes cross. The result is the
    program of one stage: its nodes, the states that they use, and broadcasts
    that receive values of the stage before and send values to the next one.

    ```mlir
    %a = call_function @aten.linear.default(%x, %w) : ...
    %b = call_function @aten.linear.default(%a, %v) : ...
    // becomes, for stage 1 of 2
    %full = call_function @aten.full.default([2, 8], 0.0, dtype = f32) : () -> !fx.tensor<[2, 8], f32>
    %broadcast = call_function @_c10d_functional.broadcast.default(%full, 0, "0") : ...
    %a = call_function @_c10d_functional.wait_tensor.default(%broadcast) : ...
    %b = call_function @aten.linear.default(%a, %v) : ...
    ```

    With two stages, both are in the process group `0`. With more, stages i and
    i + 1 are in the group `stages.i`. All ranks get all inputs of the user and
    return all outputs, which are broadcast in group `0`. Sizes are computed in
    each stage.
  }];
  let options = [
    Option<"stage", "stage", "unsigned", "0", "The stage of the program">,
    Option<"stages", "stages", "unsigned", "1", "The number of stages">,
    Option<"sizeText", "sizes", "std::string", "",
           "Integers for symbols, as 's17=16,s3=4'">,
    Option<"peak", "peak", "double", "100", "GFLOP/s of a rank">,
    Option<"bandwidth", "bandwidth", "double", "20", "GB/s of its memory">
  ];
  let statistics = [
    Statistic<"numLeft", "left", "States that other stages have">
  ];
}

#endif // FX_TRANSFORMS_SHARDPASSES_TD
