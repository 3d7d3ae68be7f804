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
  let summary = "check what fx-functionalize promises";
  let description = [{
    Checks graphs marked `functional`, beyond what the dialect verifies: a graph
    that returns the last value of an input reads the input's first value only
    in front of the first new one, other than to make that one, and a view by
    strides has an operand whose memory is what its value is: an input or a
    copy. To be run directly behind `fx-functionalize`: passes that
    drop copies may move a read behind a write.
  }];
}

def CheckOperatorsPass : Pass<"fx-check-operators", "::mlir::ModuleOp"> {
  let summary = "refuse what only the interpreter can run";
  let description = [{
    An error on a call that no compiled model can make, not even with the
    fallback: functions that only Python can run, calls of `torch.vmap`, views
    by strides of memory that is not known, and results whose recorded type is
    not that of eager.
  }];
}

def CheckStatesPass : Pass<"fx-check-states", "::mlir::ModuleOp"> {
  let summary = "refuse written states that share a storage";
  let description = [{
    Compiled code holds each state in memory of its own. So of two states in one
    storage, none may be written, unless they are one tensor (tied weights).
  }];
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

#endif // FX_TRANSFORMS_VERIFYPASSES_TD
