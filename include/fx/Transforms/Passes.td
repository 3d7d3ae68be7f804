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
    sub-graph computes: the body takes their place, under unique names.

    ```mlir
    %r = fx.higher_order @wrap_with_set_grad_enabled(false, %g, %x) : ...
    // becomes the body of @g with %x for its placeholder
    ```

    `wrap_with_autocast` stays: it changes the dtypes its body computes in.
  }];
  let statistics = [Statistic<"numInlined", "inlined", "Wrappers inlined">];
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

#endif // FX_TRANSFORMS_PASSES_TD
