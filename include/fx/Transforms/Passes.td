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
    `invoke_subgraph` and the activation-checkpoint wrappers compute what their
    sub-graph computes: the body takes their place, under unique names. So does
    the branch that a `cond` with a constant condition takes.

    ```mlir
    %r = fx.higher_order @wrap_with_set_grad_enabled(false, %g, %x) : ...
    // becomes the body of @g with %x for its placeholder
    ```

    - `wrap_with_autocast` becomes its body with the casts spelled out: operands
      of matmuls and convolutions to the region's dtype, and of operators that
      torch keeps in f32 to that.
    - `with_effects(token, op, args)` becomes the call of `op`: its place in the
      graph is its order.
    - `out_dtype(op, dtype, args)` of integers becomes casts and the call.

    Loops stay, and what an immediate is passed to.
  }];
  let statistics = [Statistic<"numInlined", "inlined", "Wrappers inlined">];
}

def DecomposeCustomPass : Pass<"fx-decompose-custom", "::mlir::ModuleOp"> {
  let summary = "expand operators that users registered a decomposition for";
  let description = [{
    Replaces calls by the graph that is registered for their target
    (fx/Custom/Operators.h), in `functional` graphs. The types in it are
    inferred for each call; a graph that does not fit the call is an error at
    the node.

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
    Operators that are formulas or rearrangements of others and gain nothing
    from a lowering of their own: `einsum`, `repeat_interleave`, `meshgrid`,
    `pixel_shuffle`, `roll`, `_weight_norm`, `diff`, `glu`, losses. What has a
    lowering (linear, sdpa, layer_norm, softmax …) stays whole, since the
    lowering knows more than a decomposition would leave it. An operator that
    has two names (`absolute`, `less`, `divide`) gets the usual one.

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
    Takes the argument that a `max` or `min` in the types of a graph always is,
    by interval arithmetic on the ranges of the graph's symbols:

    ```mlir
    fx.graph @main symbols [s0 in [3, 63]] {
      ... : !fx.tensor<[-1*max(-1*s0 + 64, 0) + 64], f32>
      // becomes
      ... : !fx.tensor<[s0], f32>
    ```

    Whether a dimension is 1 and broadcasts, torch decides in this way, too.
    Guards and ranges stay as they are. A lower bound of 2 and less counts as
    1: torch takes sizes of 1 at run time.
  }];
  let statistics = [
    Statistic<"numSimplified", "simplified", "Sizes simplified">
  ];
}

def FunctionalizePass : Pass<"fx-functionalize", "::mlir::ModuleOp"> {
  let summary = "replace mutation by new values";
  let description = [{
    Turns in-place operators into their functional forms, follows the effect
    of each mutation through the views of the mutated storage, and returns the
    final value of each mutated input as an output with a `buffer_mutation`,
    `parameter_mutation` or `user_input_mutation` in the signature. Afterwards
    the graph is `functional`.

    ```mlir
    %v = call_function @aten.select.int(%x, 0, 0)
    %a = call_function @aten.add_.Tensor(%v, 1)
    // becomes
    %v = call_function @aten.select.int(%x, 0, 0)
    %a = call_function @aten.add.Tensor(%v, 1)
    %x2 = call_function @aten.select_scatter.default(%x, %a, 0, 0)
    ```

    A view of the mutated storage is derived again from what that holds where it
    is used. A write through a view without an inverse operator goes to the
    places that the same view of the elements' numbers has. Views by strides
    become views of the whole storage in memory order.

    An operator that writes and has no functional form becomes an
    `auto_functionalized` of it, which runs it on a copy. A graph with any other
    mutation (through an unknown method, of one tensor by two names) is left as
    it was, with a remark that says which; it still runs on the interpreter.
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

def KeepIntegersPass : Pass<"fx-keep-integers", "::mlir::ModuleOp"> {
  let summary = "let pools, joins and views of quantized tensors take integers";
  let description = [{
    A maximum pool, `cat` or view takes its values from its operands. Where
    these are dequantized and the result is quantized by the same scale and zero
    point, with bounds that clamp nothing, it takes the integers as they are and
    gives the same result, without rounding:

    ```mlir
    %x = call_function @quantized_decomposed.dequantize_per_tensor.default(%q, 0.1, 3, 0, 255, ui8)
    %y = call_function @aten.max_pool2d.default(%x, [2, 2])
    %r = call_function @quantized_decomposed.quantize_per_tensor.default(%y, 0.1, 3, 0, 255, ui8)
    // becomes
    %r = call_function @aten.max_pool2d.default(%q, [2, 2])
    ```

    Only in `functional` graphs, and for scales that are immediates.
  }];
  let statistics = [Statistic<"numKept", "kept", "Operators that take integers">];
}

def NoteNarrowWeightsPass
    : Pass<"fx-note-narrow-weights", "::mlir::ModuleOp"> {
  let summary = "note which quantized weights fit four bits";
  let description = [{
    PyTorch has no integers of four bits: quantizers store them as int8, and the
    bounds that a call gives are not checked by anyone. Where all bytes of the
    state that a call dequantizes are in [-8, 7], the call gets an attribute,
    and compiled code may pack two in a byte:

    ```mlir
    %w = call_function @quantized_decomposed.dequantize_per_channel_group.default(%q, %scales, None, -8, 7, i8, 32, f32) {fx.bits = 4 : i64}
    ```

    Only in `functional` graphs, and for states that nothing mutates.
    `fx-compile` leaves the pass out where weights may be swapped: new ones might
    need all bits.
  }];
  let statistics = [
    Statistic<"numNoted", "noted", "Calls whose weights fit four bits">
  ];
}

def CorrectTypesPass : Pass<"fx-correct-types", "::mlir::ModuleOp"> {
  let summary = "give results the types that eager's have";
  let description = [{
    A few of torch's shape functions record another dtype or shape than eager
    computes. The pass gives such calls, and what is computed of their results,
    the types of eager. A graph in which not all of them can be told stays as it
    is.
  }];
}

def DropZeroPointsPass : Pass<"fx-drop-zero-points", "::mlir::ModuleOp"> {
  let summary = "leave out zero points of weights that are all 0";
  let description = [{
    Quantizers store a zero point for each channel of a weight, and zeros where
    the weight is symmetric, as it mostly is. Whoever knows these to be zeros
    can multiply integers without the sums of the activations:

    ```mlir
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %scales, %zeros, 0, -128, 127, i8)
    // becomes
    %w = call_function @quantized_decomposed.dequantize_per_channel.default(%q, %scales, None, 0, -128, 127, i8)
    ```

    Only in `functional` graphs, and where the zero points are a state that
    nothing mutates, whose bytes are read. `fx-compile` leaves the pass out where
    weights may be swapped: new ones might have zero points.
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
    `shift = bias - running_mean * scale` for each channel. After a convolution
    or a linear layer whose result nothing else uses it goes into weights and
    bias, computed by nodes on states alone, which code generation runs once,
    in f64 (casts are left out below):

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

    The producer is a convolution of any rank, transposed (grouped too) or not,
    `linear`, `addmm` or `mm` (which gets a bias and becomes `addmm`); the norm
    `batch_norm`, `native_batch_norm`, `_native_batch_norm_legit` without
    training, or `_native_batch_norm_legit_no_training`.

    Only in `functional` graphs, in f32 and f64, and where weights and
    statistics are states that nothing mutates, or computed from such. Results
    differ by rounding: the products are rounded once more.

    A `call_module` of a live graph that runs such a producer, and one behind it
    that runs such a norm, fold too: they become operators first, as by
    `fx-resolve-calls`. No other layer may have their states, and nothing
    between them may write.
  }];
  let statistics = [Statistic<"numFolded", "folded", "Batch norms folded">];
}

def ConstantFoldPass : Pass<"fx-constant-fold", "::mlir::ModuleOp"> {
  let summary = "evaluate what is computed from states alone";
  let description = [{
    Calls of the functional graph @main whose operands are states that nothing
    mutates, or such calls, are evaluated and become new states, which hold
    their bytes. Views stay, which would copy the states they show, and
    dequantizations, which would be four times their operands. The states
    themselves stay as they are, tied ones tied.

    ```mlir
    %p = placeholder "p" parameter @w : !fx.tensor<[2], f32>
    %e = call_function @aten.exp.default(%p)
    // becomes
    fx.state @folded_e : !fx.tensor<[2], f32> = dense<...> : tensor<8xui8>
    %folded_e = placeholder "folded_e" tensor_constant @folded_e : !fx.tensor<[2], f32>
    ```

    The numbers come from the `ConstantEvaluator`
    (fx/Transforms/ConstantEvaluator.h), LibTorch by default; without it a graph
    that has something to fold is an error. `fx-compile` does not need this
    pass: it runs such computations natively, once.
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
  let summary = "compute before a loop what is the same in each of its iterations";
  let description = [{
    Nodes in the body of a `while_loop`, `map` or `scan` that have no effects and
    need nothing but what each iteration gets as it is (`additional`) move in front
    of the loop, which passes their results on. Views alone stay. Nested loops
    give what they can, one iteration after the other.

    ```mlir
    // in the body: %x a slice, %w the same in each iteration
    %e = call_function @aten.exp.default(%w)
    %y = call_function @aten.mul.Tensor(%x, %e)
    // becomes, with %e computed once before the loop
    %y = call_function @aten.mul.Tensor(%x, %hoisted)
    ```

    A `while_loop` that makes no iteration computes it in vain. Compiled code hoists
    by itself; this is for graphs that are interpreted or exported.
  }];
  let statistics = [Statistic<"numHoisted", "hoisted", "Nodes that left a body">];
}

def RewritePass : Pass<"fx-rewrite", "::mlir::ModuleOp"> {
  let summary = "replace sub-graphs by rules that are graphs themselves";
  let description = [{
    `patterns` names a file of rules. A rule is two graphs, `NAME.pattern` and
    `NAME.replacement`, with the same placeholders and outputs, in order; rules
    are applied in the order of the file, each once, to what does not overlap:

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

    The meaning is that of torch.fx's subgraph_rewriter. A placeholder stands
    for any value or immediate, and for the same one where it is used twice.
    What matches and is no output has no other use. Its type is a constraint:
    `!fx.any` is none, `!fx.tensor<[n, 8], f32>` asks for dtype, rank and sizes
    (n for some size, the same wherever the pattern has it), `!fx.sym_int` and
    the like for numbers. A `guard` is a condition on sizes that must be known
    to hold. Arguments are compared by the schema, defaults filled in, floats
    to six digits.

    A pattern of several nodes matches in `functional` graphs only, one that
    mutates only what nothing else uses. Calls of modules, methods and functions
    of live graphs that run one operator which a pattern takes become that
    operator first, as by `fx-resolve-calls`. Types of what replaces are inferred.
    Matches are counted in the statistics and, with `remarks`, for each rule.
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
    A live GraphModule calls leaf modules, methods of tensors and functions of
    Python. Imported with example inputs, each call names in `fx.body` the
    private graph of operators that it ran: that takes the call's tensors, in
    order, and as `parameter` and `buffer` placeholders the states of the module.
    The body takes the place of the call; states become inputs of the graph.

    ```mlir
    %conv = call_module @conv(%x) {fx.body = @main.conv}
    // becomes
    %conv2d = call_function @aten.conv2d.default(%x, %conv_weight, %conv_bias)
    ```

    A value that is no tensor is the immediate that it was on the example. A call
    of which nothing is known stays, with a remark: it can run in Python only.
  }];
  let statistics = [
    Statistic<"numResolved", "resolved", "Calls replaced by what they run">,
    Statistic<"numLeft", "left", "Calls that stay">
  ];
}

def ShapePropPass : Pass<"fx-shape-prop", "::mlir::ModuleOp"> {
  let summary = "infer result types and compare them with the recorded ones";
  let description = [{
    Infers the types of each call's results by its operator's shape rule, in
    order. A result of type `!fx.any`, as symbolic tracing leaves it, gets the
    inferred type. A recorded type that is provably another one (dtype, rank, or
    a size that differs for all values of the symbols) is an error; strides and
    devices are not compared.

    ```mlir
    %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.any
    // becomes
    %t = call_function @aten.t.default(%x) : (!fx.tensor<[s0, 8], f32>) -> !fx.tensor<[8, s0], f32>
    ```

    `sizes` puts integers in the place of symbols of @main, first: the graph is
    then one for these sizes. One that is outside its range, or for which a
    guard does not hold, is an error.
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

    - `contractions`: operations of matmuls, convolutions and attention,
      a multiply-add being 2 (2mkn for `mm`), as torch.utils.flop_counter;
    - `flops`: these and all others; an elementwise function is 1 an element, a
      softmax 5, a layer norm 7, a batch norm with known statistics 2;
    - `bytes` that are read and written; nothing stays in a cache, and a view
      moves none;
    - `params`: elements of parameters, each once in a sum;
    - `flops/byte`, and the time in us by the roofline: the longer of operations
      at `peak` and bytes at `bandwidth`. The node's times add up.

    ```mlir
    %mm = call_function @aten.mm.default(%x, %w) : (!fx.tensor<[s0, 8], f32>, !fx.tensor<[8, 4], f32>) -> !fx.tensor<[s0, 4], f32>
    // node  target           contractions  flops  bytes           params
    // mm    aten.mm.default         64*s0  64*s0  48*s0 + 128         32
    ```

    Sub-graphs and functions that are no operators are not counted: `?`, as is
    any sum they are part of. Nothing is changed.
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
include "fx/Transforms/VerifyPasses.td"

#endif // FX_TRANSFORMS_PASSES_TD
