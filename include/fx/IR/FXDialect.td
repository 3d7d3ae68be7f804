//===- FXDialect.td - the fx dialect -----------------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXDIALECT_TD
#define FX_IR_FXDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def FX_Dialect : Dialect {
  let name = "fx";
  let cppNamespace = "::fx";
  let summary = "PyTorch's FX and Export IR";
  let description = [{
    The `fx` dialect is the IR of `torch.fx` and `torch.export`: one FX node is
    one operation, a graph is a symbol, and parameters, buffers and constants
    are module-level states that refer to the bytes of a `.pt2` archive.

    Arguments follow FX: a node has a target and a tree of arguments whose
    leaves are values or immediates, so there are no constant, list or `none`
    operations and a graph is as short as FX prints it.

    Metadata (node names, Python stacks, module paths) lives in locations, not
    in attributes. Attributes that differ would keep CSE from merging otherwise
    equal nodes.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class FX_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<FX_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class FX_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<FX_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

#endif // FX_IR_FXDIALECT_TD
