//===- VerifyPasses.td - passes that only check ------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_TRANSFORMS_VERIFYPASSES_TD
#define FX_TRANSFORMS_VERIFYPASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyFunctionalPass : Pass<"fx-verify-functional", "::mlir::ModuleOp"> {
  let summary = "check the guarantees of fx-functionalize";
  let description = [{
    Checks two properties of `functional` graphs that the dialect does not
    verify. First, if the graph returns the final value of an input as a
    mutation, then after the node that computes the final value no node reads
    the original value, except to compute the final value. Second, the operand
    of a view by strides is an input or a copy, so that its memory is defined by
    its value. The pass must run directly after `fx-functionalize`, since passes
    that remove copies may move a read behind a write.
  }];
}

def CheckOperatorsPass : Pass<"fx-check-operators", "::mlir::ModuleOp"> {
  let summary = "reject calls that compiled models cannot make";
  let description = [{
    Reports an error for a call that no compiled model can make, not even by the
    fallback: functions that only Python can run, calls of `torch.vmap`, views
    by strides of memory that is not known, and results whose recorded type
    differs from that of eager.
  }];
}

def CheckStatesPass : Pass<"fx-check-states", "::mlir::ModuleOp"> {
  let summary = "reject mutated states that share a storage";
  let description = [{
    Compiled code allocates separate memory for each state. If two states that
    @main uses share a storage, the graph must mutate neither of them, or both
    must be the same tensor (tied weights).
  }];
}

def VerifyExportPass : Pass<"fx-verify-export", "::mlir::ModuleOp"> {
  let summary = "check the rules of the Export IR";
  let description = [{
    The dialect's verifier accepts every FX graph. This pass also checks the
    guarantees of torch.export for an exported program: which kinds of nodes and
    operators occur, that every value has a type and every node a name, and that
    the signature fits the graph. Each error names the violated rule; see
    docs/ExportRules.md. The pass does not change the graph.

    ```mlir
    %y = call_method @relu(%x) : (!fx.tensor<[4], f32>) -> !fx.any
    // error: rule 3: expected only call_function, get_attr and higher-order
    // operators, got 'call_method'
    ```
  }];
  let options = [Option<"strict", "strict", "bool", "false",
                        "Also demand where each node comes from (rule 11)">];
}

#endif // FX_TRANSFORMS_VERIFYPASSES_TD
