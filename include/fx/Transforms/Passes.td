//===- Passes.td - fx to fx passes --------------------------*- tablegen -*-===//
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
    lowering knows more than a decomposition would leave it.

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

    A graph with a mutation that has no functional form is left as it was, with
    a remark that says which; it still runs on the interpreter.
  }];
  let statistics = [
    Statistic<"numMutations", "mutations", "Mutations replaced">,
    Statistic<"numReplayed", "replayed", "Views computed again after a mutation">
  ];
}

def FoldConvBNPass : Pass<"fx-fold-conv-bn", "::mlir::ModuleOp"> {
  let summary = "fold inference batch norms into convolutions";
  let description = [{
    A batch norm that uses running statistics is `y * scale + shift` with
    `scale = weight / sqrt(running_var + eps)` and
    `shift = bias - running_mean * scale` for each channel. After a convolution
    or a linear layer whose result nothing else uses it goes into weights and
    bias, computed by nodes on states alone, which code generation runs once:

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

    Only in `functional` graphs, in f32 and f64, and where weights and
    statistics are states that nothing mutates, or computed from such. Results
    differ by rounding: the products are rounded once more.
  }];
  let statistics = [Statistic<"numFolded", "folded", "Batch norms folded">];
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
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "Remark on each call whose types cannot be inferred">];
  let statistics = [
    Statistic<"numChecked", "checked", "Calls whose types were inferred and agree">,
    Statistic<"numInferred", "inferred", "Results that got a type">,
    Statistic<"numUnknown", "unknown", "Calls whose types cannot be inferred">
  ];
}

def VerifyExportPass : Pass<"fx-verify-export", "::mlir::ModuleOp"> {
  let summary = "check the rules of the Export IR";
  let description = [{
    The dialect's verifier accepts every FX graph. This pass adds what
    torch.export promises of an exported program: which nodes and operators
    there are, that every value has a type and every node a name, and that the
    signature fits the graph. Each error names its rule; the rules stand in
    docs/ExportRules.md. Nothing is changed.

    ```mlir
    %y = call_method @relu(%x) : (!fx.tensor<[4], f32>) -> !fx.any
    // error: rule 3: expected only call_function, get_attr and higher-order
    // operators, got 'call_method'
    ```
  }];
  let options = [Option<"strict", "strict", "bool", "false",
                        "Also demand where each node comes from (rule 11)">];
}

#endif // FX_TRANSFORMS_PASSES_TD
