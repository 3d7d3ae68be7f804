//===- Passes.td - fx to fx passes -------------------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_PASSES_TD
#define FX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineWrappersPass : Pass<"fx-inline-wrappers", "::mlir::ModuleOp"> {
  let summary = "inline higher-order operators that only wrap a sub-graph";
  let description = [{
    `wrap_with_set_grad_enabled`, `strict_mode`, `hints_wrapper`,
    `invoke_subgraph` and the activation-checkpoint wrappers only run their
    sub-graph. The pass replaces them by the body of the sub-graph, with unique
    names. It also replaces a `cond` with a constant condition by the branch
    that is taken.

    ```mlir
    %r = fx.higher_order @wrap_with_set_grad_enabled(false, %g, %x) : ...
    // becomes the body of @g, with %x in place of its placeholder
    ```

    - `wrap_with_autocast` becomes its body with explicit casts: operands of
      matmuls and convolutions are cast to the dtype of the region, operands of
      operators that torch keeps in f32 are cast to f32.
    - `with_effects(token, op, args)` becomes a call of `op`. Its position in
      the graph replaces the order that the token expressed.
    - `out_dtype(op, dtype, args)` of integers becomes casts and the call.

    Loops are not inlined, nor are calls that pass an immediate to their
    sub-graph.
  }];
  let statistics = [Statistic<"numInlined", "inlined", "Wrappers inlined">];
}

def UnwrapSubclassesPass : Pass<"fx-unwrap-subclasses", "::mlir::ModuleOp"> {
  let summary = "take the tensors of tensor subclasses as inputs";
  let description = [{
    An archive holds a weight of a tensor subclass as one pickle, and the graph
    reads its tensors by `export.access_subclass_inner_tensor`. The importer
    adds a state for each tensor of the subclasses that it knows: those of
    torchao with weights of integers. The pass replaces each access by a
    placeholder of this state:

    ```mlir
    %w = placeholder "w" parameter @w : !fx.tensor<[4, 8], f32>
    %q = call_function @export.access_subclass_inner_tensor.default(%w, "qdata")
    // becomes
    %w_qdata = placeholder "w_qdata" parameter @w.qdata : !fx.tensor<[4, 8], i8>
    ```

    An access of another class is an error, since reading its pickle could run
    any code.
  }];
}

def DecomposeCustomPass : Pass<"fx-decompose-custom", "::mlir::ModuleOp"> {
  let summary = "expand operators for which users registered a decomposition";
  let description = [{
    Replaces calls in `functional` graphs by the graph that is registered for
    their target (fx/Operators/Custom.h). The types in this graph are inferred
    for each call. If the graph does not fit the call, the pass reports an error
    at the node.

    ```mlir
    %y = call_function @example.softcap.default(%x, 2.0)
    // becomes
    %div = call_function @aten.div.Scalar(%x, 2.0)
    %tanh = call_function @aten.tanh.default(%div)
    %mul = call_function @aten.mul.Scalar(%tanh, 2.0)
    ```
  }];
  let statistics = [Statistic<"numDecomposed", "decomposed", "Nodes replaced">];
}

def DecomposePass : Pass<"fx-decompose", "::mlir::ModuleOp"> {
  let summary = "replace composite operators by simpler ones";
  let description = [{
    Decomposes operators that are formulas or rearrangements of other operators
    and would not profit from a lowering of their own: `einsum`,
    `repeat_interleave`, `meshgrid`, `pixel_shuffle`, `roll`, `_weight_norm`,
    `diff`, `glu`, losses. Operators with a lowering (linear, sdpa, layer_norm,
    softmax, …) are kept, since a decomposition would lose structure that the
    lowering uses. Aliases (`absolute`, `less`, `divide`) are replaced by the
    usual name of the operator.

    ```mlir
    %e = call_function @aten.einsum.default("bij,bkj->bik", [%x, %y])
    // becomes
    %p = call_function @aten.permute.default(%y, [0, 2, 1])
    %e = call_function @aten.bmm.default(%x, %p)
    ```

    Works on `functional` graphs. A decomposition is a hook of its operator,
    registered in lib/Transforms/Decompose.
  }];
  let statistics = [Statistic<"numDecomposed", "decomposed", "Nodes replaced">];
}

def SimplifySizesPass : Pass<"fx-simplify-sizes", "::mlir::ModuleOp"> {
  let summary = "simplify symbolic sizes by the ranges of their symbols";
  let description = [{
    Replaces a `max` or `min` in the types of a graph by one of its arguments if
    interval arithmetic on the ranges of the graph's symbols proves that the
    result is always this argument:

    ```mlir
    fx.graph @main symbols [s0 in [3, 63]] {
      ... : !fx.tensor<[-1*max(-1*s0 + 64, 0) + 64], f32>
      // becomes
      ... : !fx.tensor<[s0], f32>
    ```

    torch decides in the same way whether a dimension is 1 and broadcasts.
    Guards and ranges are not changed. A lower bound of 2 or less is taken as 1,
    since torch accepts sizes of 1 at run time.
  }];
  let statistics = [
    Statistic<"numSimplified", "simplified", "Sizes simplified">
  ];
}

def FunctionalizePass : Pass<"fx-functionalize", "::mlir::ModuleOp"> {
  let summary = "replace mutation by new values";
  let description = [{
    Replaces in-place operators by their functional forms, propagates the effect
    of each mutation to the views of the mutated storage, and returns the final
    value of each mutated input as an output with a `buffer_mutation`,
    `parameter_mutation` or `user_input_mutation` in the signature. The
    resulting graph is marked `functional`.

    ```mlir
    %v = call_function @aten.select.int(%x, 0, 0)
    %a = call_function @aten.add_.Tensor(%v, 1)
    // becomes
    %v = call_function @aten.select.int(%x, 0, 0)
    %a = call_function @aten.add.Tensor(%v, 1)
    %x2 = call_function @aten.select_scatter.default(%x, %a, 0, 0)
    ```

    Where a view of the mutated storage is used after the mutation, the view is
    computed again from the new value of the storage. If no operator is the
    inverse of a view, the pass applies the view to a tensor of element indices
    and scatters a write through the view by these indices. Views by strides
    become views of the whole storage in memory order.

    An operator that mutates and has no functional form becomes an
    `auto_functionalized` call, which runs it on a copy. A graph with any other
    mutation (by an unknown method, or of one tensor by two names) is not
    changed. A remark names the mutation. The interpreter can still run such a
    graph.
  }];
  let options = [
    Option<"assumesFunctional", "assume-unknown-functional", "bool", "false",
           "Take operators without a schema for functions, as torch.library "
           "asks of those whose mutates_args is empty">
  ];
  let statistics = [
    Statistic<"numMutations", "mutations", "Mutations replaced">,
    Statistic<"numReplayed", "replayed", "Views computed again after a mutation">
  ];
}

def KeepCachesPass : Pass<"fx-keep-caches", "::mlir::ModuleOp"> {
  let summary = "keep caches that grow as states with a capacity";
  let description = [{
    A program whose cache grows takes it as an input and returns it with new
    values. If an output of the user is `cat` of an input and new values, and
    the input's size in this dimension is a symbol, then the input becomes a
    state of `capacity` rows, and the output is removed. The new values are
    written to the state behind the rows that are in use:

    ```mlir
    %k = placeholder "k" : !fx.tensor<[1, 2, s0, 16], f32>
    %all = call_function @aten.cat.default([%k, %new], 2)
    output(%y, %all)
    // becomes
    %k = placeholder "k" buffer @k : !fx.tensor<[1, 2, 512, 16], f32>
    %n = placeholder "cache_length" : !fx.sym_int<s0>
    guard "s0 + 1 <= 512" : le(s0 + 1, 512)
    %end = call_function @_operator.add(%n, 1)
    %state = call_function @aten.slice_scatter.default(%k, %new, 2, %n, %end)
    %all = call_function @aten.slice.Tensor(%state, 2, 0, %end)
    output(%state, %y) signature [#fx.output_spec<buffer_mutation, "k">,
                                  #fx.output_spec<user_output>]
    ```

    The number of rows in use, `cache_length`, is the last input: a caller rolls
    back by a smaller number. All caches have one length. Applies to @main,
    which must be `functional`.
  }];
  let options = [
    Option<"capacity", "capacity", "int64_t", "0",
           "The number of rows of a state">
  ];
  let statistics = [Statistic<"numKept", "kept", "Caches that became states">];
}

def KeepIntegersPass : Pass<"fx-keep-integers", "::mlir::ModuleOp"> {
  let summary = "compute pools, concatenations and views on quantized integers";
  let description = [{
    Each element of the result of a maximum pool, `cat` or view is an element of
    an operand. If the operands are dequantized, the result is quantized with
    the same scale and zero point, and the bounds clamp nothing, then the
    operator computes the same result on the integers, without rounding:

    ```mlir
    %x = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.1, 3, 0, 255, ui8)
    %y = call_function @aten.max_pool2d.default(%x, [2, 2])
    %r = call_function @quantized_decomposed.quantize_per_tensor.default(%y, 0.1, 3, 0, 255, ui8)
    // becomes
    %r = call_function @aten.max_pool2d.default(%q, [2, 2])
    ```

    Applies to `functional` graphs and to scales that are immediates.
  }];
  let statistics = [Statistic<"numKept", "kept", "Operators that take integers">];
}

def MergeLinearsPass : Pass<"fx-merge-linears", "::mlir::ModuleOp"> {
  let summary = "merge linear layers that have the same input";
  let description = [{
    Replaces calls of `aten.linear` with the same input by one call, whose
    weight and bias are the concatenations of theirs, and by slices of its
    result:

    ```mlir
    %w = call_function @aten.cat.default([%wq, %wk, %wv], 0)
    %y = call_function @aten.linear.default(%x, %w)
    %q = call_function @aten.slice.Tensor(%y, -1, 0, 1024)
    ```

    The layers are those of queries, keys and values of attention, for example.
    One launch of a larger matmul uses a GPU better than several smaller ones.

    Weights and biases must be states that nothing mutates or reads otherwise.
    All or none of the layers have a bias, and their weights have the same
    dtype. A layer whose result only one operator reads that is not a view, such
    as an activation, is left alone: the operator may become a part of the
    matmul's kernel. Applies to `functional` graphs. `fx-compile` runs the pass
    for GPUs, unless weights can be swapped.
  }];
  let statistics = [Statistic<"numMerged", "merged", "Merged linear layers">];
}

def NoteNarrowWeightsPass
    : Pass<"fx-note-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "note which quantized weights fit four bits";
  let description = [{
    PyTorch has no 4-bit integers. Quantizers store them as int8, and nothing
    checks that they are in the bounds that are arguments of the call. If all
    bytes of the state that a call dequantizes are in [-8, 7], the pass sets the
    attribute `fx.bits`, which allows compiled code to pack two integers in a
    byte:

    ```mlir
    %w = call_function @quantized_decomposed.dequantize_per_channel_group.default(%q, %scales, None, -8, 7, i8, 32, f32) {fx.bits = 4 : i64}
    ```

    Applies to `functional` graphs and to states that nothing mutates.
    `fx-compile` omits the pass if weights can be swapped, since new weights
    could need all bits.
  }];
  let options = [
    Option<"multiple", "multiple", "int64_t", "1",
           "note only weights whose last dimension is a multiple of this number">
  ];
  let statistics = [
    Statistic<"numNoted", "noted", "Calls whose weights fit four bits">
  ];
}

def RaiseDequantizePass : Pass<"fx-raise-dequantize", "::mlir::ModuleOp"> {
  let summary = "recover quantized weights from the arithmetic on them";
  let description = [{
    Many libraries store weights as integers, often several in a byte or word,
    and compute the floats by plain arithmetic: shifts and masks, a conversion,
    and a scale and zero point for each row or group of terms. Compiled code
    would store these floats. The pass replaces the weight of a matmul by an
    operator of `quantized_decomposed`, whose integers the kernels read:

    ```mlir
    %low = call_function @aten.bitwise_and.Scalar(%packed, 15)
    ...
    %q = call_function @aten.sub.Tensor(%f, %zeros)
    %w = call_function @aten.mul.Tensor(%q, %scales)
    %y = call_function @aten.linear.default(%x, %w)
    // becomes
    %w = call_function @quantized_decomposed.dequantize_per_channel_group.default(%int8, %s, None, -8, 7, i8, 128, f32) {fx.bits = 4 : i64}
    %y0 = call_function @aten.linear.default(%x, %w)
    %sums = call_function @aten.sum.dim_IntList(%groups_of_x, [2])
    %y1 = call_function @aten.linear.default(%sums, %negative_zeros_times_scales)
    %y = call_function @aten.add.Tensor(%y0, %y1)
    ```

    Applies to weights (q - zero) * scale + offset in `functional` graphs that
    depend on states alone, behind any reshapes and permutations, if the
    parameters repeat along groups of 16 or more terms. On CPUs, and for
    embeddings, the weight must have 262144 elements. Zero points and offsets are
    multiplied by the sums of the activations of a group, if the weight has so
    many elements; kernels for GPUs subtract integer zero points of groups. Matmuls in f16 and bf16 compute in f32. If the CPU multiplies bf16,
    those in bf16 with more than 4 rows do not change: they are faster. Matmuls
    of f16 and bf16 with more than 16 rows do not change on GPUs.

    The table of an embedding may also be dequantized by operators of
    `quantized_decomposed`: rows of the integers are taken, and dequantized.
    So may the weights of matmuls that compute in f16 and bf16.

    Masks, shifts, remainders and sums bound the integers, or the elements of a
    state that are read. If they are known to fit four bits, the pass says so.
  }];
  let options = [
    Option<"readsStates", "reads-states", "bool", "true",
           "use the elements of states: bounds of integers, and indices">,
    Option<"gpu", "gpu", "bool", "false",
           "use the forms that kernels for GPUs match">,
    Option<"bf16", "bf16", "bool", "true",
           "the CPU multiplies bf16: matmuls of more than 4 rows stay in bf16">
  ];
  let statistics = [
    Statistic<"numRaised", "raised",
              "Matmuls and embeddings whose weights are quantized">
  ];
}

def CorrectTypesPass : Pass<"fx-correct-types", "::mlir::ModuleOp"> {
  let summary = "correct recorded types that differ from those of eager";
  let description = [{
    A few of torch's shape functions record another dtype or shape than eager
    computes. The pass sets the result types of such calls, and of the nodes
    that depend on them, to the types that eager computes. A graph is not
    changed if one of these types cannot be determined.
  }];
}

def DropZeroPointsPass : Pass<"fx-drop-zero-points", "::mlir::ModuleOp"> {
  let summary = "remove zero points of weights that are all 0";
  let description = [{
    Quantizers store a zero point for each channel of a weight. Most weights are
    symmetric, so that all zero points are 0. If this is known, an integer
    matmul needs no sums of the activations. The pass removes such zero points:

    ```mlir
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %scales, %zeros, 0, -128, 127, i8)
    // becomes
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %scales, None, 0, -128, 127, i8)
    ```

    Applies to `functional` graphs, if the zero points are a state that nothing
    mutates. The pass reads the bytes of this state. `fx-compile` omits the pass
    if weights can be swapped, since new weights could have other zero points.
  }];
  let statistics = [
    Statistic<"numDropped", "dropped", "Calls that lost their zero points">
  ];
}

def FoldConvBNPass : Pass<"fx-fold-conv-bn", "::mlir::ModuleOp"> {
  let summary = "fold inference batch norms into convolutions";
  let description = [{
    A batch norm that uses running statistics is `y * scale + shift` with
    `scale = weight / sqrt(running_var + eps)` and
    `shift = bias - running_mean * scale` for each channel. If its operand is a
    convolution or a linear layer without other users, the pass folds the batch
    norm into the weight and the bias of this layer. The new weight and bias are
    computed in f64 by nodes that depend on states alone. Compiled code runs
    these nodes once. (The casts are omitted below.)

    ```mlir
    %conv2d = call_function @aten.conv2d.default(%x, %w)
    %bn = call_function @aten.batch_norm.default(%conv2d, %g, %b, %m, %v, false, 0.1, 1.0e-5, true)
    // becomes
    %add = call_function @aten.add.Tensor(%v, 1.0e-5)
    %rsqrt = call_function @aten.rsqrt.default(%add)
    %mul = call_function @aten.mul.Tensor(%rsqrt, %g)
    %mul_1 = call_function @aten.mul.Tensor(%m, %mul)
    %sub = call_function @aten.sub.Tensor(%b, %mul_1)
    %view = call_function @aten.view.default(%mul, [8, 1, 1, 1])
    %mul_2 = call_function @aten.mul.Tensor(%w, %view)
    %bn = call_function @aten.conv2d.default(%x, %mul_2, %sub)
    ```

    The producer is a convolution or transposed convolution of any rank and any
    number of groups, `linear`, `addmm`, or `mm` (which gets a bias and becomes
    `addmm`). The norm is `batch_norm`, `native_batch_norm` or
    `_native_batch_norm_legit` without training, or
    `_native_batch_norm_legit_no_training`.

    Applies to `functional` graphs, in f32 and f64, if weights and statistics
    are states that nothing mutates or are computed from such states. Results
    differ by rounding, since the scaled weights are rounded once more.

    The pass also folds a `call_module` of a live graph that runs such a norm
    into the `call_module` in front of it that runs such a producer. It replaces
    the two calls by operators first, as `fx-resolve-calls` does. No other layer
    may use their states, and no node between them may write.
  }];
  let statistics = [Statistic<"numFolded", "folded", "Batch norms folded">];
}

def ConstantFoldPass : Pass<"fx-constant-fold", "::mlir::ModuleOp"> {
  let summary = "evaluate what is computed from states alone";
  let description = [{
    Evaluates the calls of the functional graph @main that depend only on states
    that nothing mutates, and replaces their results by new states. Views and
    dequantizations are not evaluated: a view would become a copy of its state,
    and a dequantized value is four times as large as its operand. The existing
    states are not changed; tied states stay tied.

    ```mlir
    %p = placeholder "p" parameter @w : !fx.tensor<[2], f32>
    %e = call_function @aten.exp.default(%p)
    // becomes
    fx.state @folded_e : !fx.tensor<[2], f32> = dense<...> : tensor<8xui8>
    %folded_e = placeholder "folded_e" tensor_constant @folded_e : !fx.tensor<[2], f32>
    ```

    The `ConstantEvaluatorInterface` (fx/Transforms/ConstantEvaluator.h)
    computes the values, by default on LibTorch. If it is missing, a graph that
    has something to fold is an error. `fx-compile` does not need this pass,
    since compiled code runs such computations once.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", "1 << 20",
           "Leave a result of more bytes to be computed">
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "Results that became states">,
    Statistic<"numBytes", "bytes", "Bytes of these states">,
    Statistic<"numTooLarge", "too-large", "Results above max-bytes">
  ];
}

def HoistInvariantsPass : Pass<"fx-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "hoist loop-invariant nodes out of loops";
  let description = [{
    Moves nodes without effects out of the body of a `while_loop`, `map` or
    `scan` if they depend only on values that each iteration gets unchanged
    (`additional`). They are computed in front of the loop, which gets their
    results as additional operands. Invariants that are views alone stay in the
    body. The pass repeats for nested loops until nothing changes.

    ```mlir
    // in the body: %x a slice, %w the same in each iteration
    %e = call_function @aten.exp.default(%w)
    %y = call_function @aten.mul.Tensor(%x, %e)
    // becomes, with %e computed once before the loop
    %y = call_function @aten.mul.Tensor(%x, %hoisted)
    ```

    If a `while_loop` runs no iteration, the hoisted values are computed without
    need. Compiled code hoists invariants without this pass, which is useful for
    graphs that are interpreted or exported.
  }];
  let statistics = [Statistic<"numHoisted", "hoisted", "Nodes that left a body">];
}

def RewritePass : Pass<"fx-rewrite", "::mlir::ModuleOp"> {
  let summary = "replace sub-graphs by rules that are written as graphs";
  let description = [{
    `patterns` is the path of a file of rules. A rule consists of two graphs,
    `NAME.pattern` and `NAME.replacement`, with the same placeholders and
    outputs in the same order. Rules are applied in the order of the file, each
    once, to matches that do not overlap:

    ```mlir
    fx.graph @relu.pattern {
      %x = placeholder "x" : !fx.any
      %y = call_function @aten.relu.default(%x) : (!fx.any) -> !fx.any
      output(%y) : (!fx.any)
    }
    fx.graph @relu.replacement {
      %x = placeholder "x" : !fx.any
      %y = call_function @aten.gelu.default(%x) : (!fx.any) -> !fx.any
      output(%y) : (!fx.any)
    }
    ```

    The semantics are those of torch.fx's subgraph_rewriter. A placeholder
    matches any value or immediate, and the same one at each of its uses. A
    matched value that is not an output of the pattern must have no other uses.
    The type of a value in the pattern is a constraint: `!fx.any` matches any
    type, `!fx.tensor<[n, 8], f32>` requires this dtype, rank and sizes (n is
    any size, but the same size at each of its occurrences), and `!fx.sym_int`
    and the like require numbers. A `guard` is a condition on sizes that must be
    provable. Arguments are compared by the schema, with defaults filled in;
    floats are compared to six digits.

    A pattern of several nodes matches in `functional` graphs only. A pattern
    that mutates matches only if the mutated value has no other uses. Calls of
    modules, methods and functions of live graphs are first replaced by the
    operator that they run, as by `fx-resolve-calls`, if they run a single
    operator that a pattern uses. The types of the replacement are inferred. The
    statistics count all matches; with `remarks` they are counted for each rule.
    Rules for activations, norms, attention and linear layers are installed in
    share/fx/rules.
  }];
  let options = [
    Option<"patterns", "patterns", "std::string", "", "The file of rules">,
    Option<"remarks", "remarks", "bool", "false",
           "Remark on how often each rule matched">
  ];
  let statistics = [Statistic<"numMatched", "matched", "Sub-graphs replaced">];
}

def ResolveCallsPass : Pass<"fx-resolve-calls", "::mlir::ModuleOp"> {
  let summary = "lower calls of modules, methods and Python functions";
  let description = [{
    A live GraphModule calls leaf modules, methods of tensors and Python
    functions. If it was imported with example inputs, the attribute `fx.body`
    of such a call names a private graph of the operators that the call ran. The
    placeholders of this graph are the tensors of the call, in order, and the
    states of the module (`parameter` and `buffer` placeholders). The pass
    replaces the call by this body; the states become inputs of the graph.

    ```mlir
    %conv = call_module @conv(%x) {fx.body = @main.conv}
    // becomes
    %conv2d = call_function @aten.conv2d.default(%x, %conv_weight, %conv_bias)
    ```

    A value that is not a tensor is an immediate in the body, with its value on
    the example inputs. A call without a body stays, with a remark, since only
    Python can run it.
  }];
  let statistics = [
    Statistic<"numResolved", "resolved", "Calls replaced by what they run">,
    Statistic<"numLeft", "left", "Calls that stay">
  ];
}

def ShapePropPass : Pass<"fx-shape-prop", "::mlir::ModuleOp"> {
  let summary = "infer result types and compare them with the recorded ones";
  let description = [{
    Infers the result types of each call, in order, by the shape rule of its
    operator. A result of type `!fx.any`, as symbolic tracing records it, gets
    the inferred type. A recorded type that provably differs from the inferred
    type (in dtype, in rank, or in a size for all values of the symbols) is an
    error. Strides and devices are not compared.

    ```mlir
    %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.any
    // becomes
    %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[8, s0], f32>
    ```

    The option `sizes` first replaces symbols of @main by integers, so that the
    graph is specialized for these sizes. A value that is outside the range of
    its symbol, or for which a guard does not hold, is an error.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "Remark on each call whose types cannot be inferred">,
    Option<"sizes", "sizes", "std::string", "",
           "Integers for symbols of @main, as 's17=16,s3=4'">
  ];
  let statistics = [
    Statistic<"numChecked", "checked", "Calls whose types were inferred and agree">,
    Statistic<"numInferred", "inferred", "Results that got a type">,
    Statistic<"numUnknown", "unknown", "Calls whose types cannot be inferred">
  ];
}

def CostPass : Pass<"fx-cost", "::mlir::ModuleOp"> {
  let summary = "count operations, bytes and parameters of each node";
  let description = [{
    Prints for each node of @main, each module path and the whole graph, as
    formulas over the symbols or, with `sizes`, as numbers:

    - `contractions`: the operations of matmuls, convolutions and attention. A
      multiply-add counts as 2 (2mkn for `mm`), as in torch.utils.flop_counter.
    - `flops`: these and all other operations. For each element, an elementwise
      function counts as 1, a softmax as 5, a layer norm as 7, and a batch norm
      with known statistics as 2.
    - `bytes`: the bytes that are read and written, without caches. A view moves
      no bytes.
    - `params`: the elements of parameters. Sums count each parameter once.
    - `flops/byte`, and the time in us by the roofline model: the maximum of the
      time of the operations at `peak` and of the bytes at `bandwidth`. The time
      of a sum is the sum of the times of its nodes.

    ```mlir
    %mm = call_function @aten.mm.default(%x, %w) : (!fx.tensor<[s0, 8], f32>, !fx.tensor<[8, 4], f32>) -> !fx.tensor<[s0, 4], f32>
    // node  target           contractions  flops  bytes           params
    // mm    aten.mm.default         64*s0  64*s0  48*s0 + 128         32
    ```

    The cost of sub-graphs and of functions that are no operators is not known
    and printed as `?`, also in sums that contain it. The pass does not change
    the graph.
  }];
  let options = [
    Option<"format", "format", "std::string", "\"table\"", "'table' or 'json'">,
    Option<"output", "output", "std::string", "\"-\"",
           "The file to write; '-' is standard output">,
    Option<"sizeText", "sizes", "std::string", "",
           "Integers for symbols, as 's17=16,s3=4'">,
    Option<"peak", "peak", "double", "100", "GFLOP/s for the roofline">,
    Option<"bandwidth", "bandwidth", "double", "20", "GB/s for the roofline">
  ];
  let statistics = [
    Statistic<"numCounted", "counted", "Nodes whose operations are known">,
    Statistic<"numUnknown", "unknown", "Nodes whose operations are not">
  ];
}

include "fx/Transforms/PartitionPasses.td"
include "fx/Transforms/ShardPasses.td"
include "fx/Transforms/VerifyPasses.td"

#endif // FX_TRANSFORMS_PASSES_TD
