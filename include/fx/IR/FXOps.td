//===- FXOps.td - operations of the fx dialect -------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXOPS_TD
#define FX_IR_FXOPS_TD

include "fx/IR/FXTypes.td"
include "fx/IR/FXInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FX_Op<string mnemonic, list<Trait> traits = []>
    : Op<FX_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

def FX_StateOp : FX_Op<"state", [Symbol]> {
  let summary = "a parameter, buffer or constant of the model";
  let description = [{
    A state is a view of a storage. Its type gives sizes, strides and storage
    offset (in elements). `init` gives the bytes of the whole storage: an
    `#fx.external` reference or a dense `ui8` attribute; it is absent if the
    value is not known. Tied weights, and weights that are views of others,
    refer to the same bytes.

    ```mlir
    fx.state @l.weight : !fx.tensor<[4, 8], f32>
      = #fx.external<"m.pt2", offset = 64, size = 128, crc32 = 1>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttr:$type, OptionalAttr<AnyAttr>:$init);
  let assemblyFormat = "$sym_name `:` $type (`=` $init^)? attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::Type":$type,
                                 "::mlir::Attribute":$init)>];
  let skipDefaultBuilders = 1;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

def FX_PlaceholderOp : FX_Op<"placeholder", [
    HasParent<"GraphOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an input of the graph";
  let description = [{
    `kind` gives the source of the value: the user, a state (`target` names
    it), a token, or a constant of the signature (`value`). `default_value` is
    the Python default.

    ```mlir
    %p_w = placeholder "p_w" parameter @w : !fx.tensor<[4, 8], f32>
    %x = placeholder "x" : !fx.tensor<[2, 8], f32>
    ```
  }];
  let arguments = (ins StrAttr:$name,
    DefaultValuedAttr<FX_InputKindAttr, "::fx::InputKind::UserInput">:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$target, OptionalAttr<AnyAttr>:$value,
    OptionalAttr<AnyAttr>:$default_value, UnitAttr:$non_persistent);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class FX_NodeOp<string mnemonic, list<Trait> traits = []> : FX_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<FX_NodeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let arguments = (ins StrAttr:$target, Variadic<AnyType>:$operands,
    DefaultValuedAttr<ArrayAttr, "{}">:$args, DefaultValuedAttr<StrArrayAttr, "{}">:$kwnames,
    OptionalAttr<ArrayAttr>:$outs);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def FX_CallFunctionOp : FX_NodeOp<"call_function"> {
  let summary = "calls an operator or a Python function";
  let description = [{
    The target is an operator overload (`aten.add.Tensor`,
    `quantized_decomposed.quantize_per_tensor.default`), a symbolic operator
    (`_operator.mul`, `torch.sym_max`, `math.trunc`), or a Python function that
    symbolic_trace recorded. If the schema is known, the arguments must fit it.

    Effects come from the schema and the graph. In a `functional` graph pure
    operators have no effects. In other graphs a call reads each tensor operand,
    allocates each result, and writes the arguments that it mutates.

    Canonicalization brings the arguments to one form: they are in the order of
    the schema, arguments with their default value are left out, and the
    arguments in front of the first of these are positional.

    ```mlir
    %add = call_function @aten.add.Tensor(%x, 1, alpha = 2)
      : (!fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
    %cat = call_function @aten.cat.default([%add, %x], 1) : (...) -> ...
    ```
  }];
  let hasCanonicalizeMethod = 1;
}

def FX_CallMethodOp : FX_NodeOp<"call_method"> {
  let summary = "calls a method of its first argument";
  let description = [{ `%y = call_method @relu(%x) : (!fx.any) -> !fx.any` }];
}

def FX_CallModuleOp : FX_NodeOp<"call_module"> {
  let summary = "calls a sub-module by its path";
  let description = [{ `%y = call_module @layer1.0.conv1(%x) : (!fx.any) -> !fx.any` }];
}

def FX_HigherOrderOp : FX_NodeOp<"higher_order"> {
  let summary = "a higher-order operator that has no operation of its own";
  let description = [{
    The target is the operator's name in `torch.ops.higher_order`; sub-graphs
    are operands of type `!fx.graph_ref`.

    ```mlir
    %w = higher_order @wrap_with_set_grad_enabled(false, %body, %x)
      : (!fx.graph_ref, !fx.tensor<[4], f32>) -> !fx.tensor<[4], f32>
    ```
  }];
}

def FX_EagerOp : FX_NodeOp<"eager"> {
  let summary = "an operator without native code, run by ATen";
  let description = [{
    The conversion to linalg replaces a `call_function` that has no lowering by
    this operation. Operands and results are builtin tensors (memrefs after
    bufferization) and scalars `i64`, `f64`, `i1`; the argument tree is that of
    the `call_function`. Code generation lowers the operation to a call of the
    run-time fallback (fx/Runtime/fallback.h). Results are new tensors, and
    operands are never written.

    Discardable attributes:

    - `fx.operand_types`, `fx.result_types`: the `fx` types of operands and
      results (the builtin types lose the signedness of uint8).
    - `fx.objects`: the class, and LibTorch's pickle of the value, of each
      state of a custom class that the argument tree refers to by its symbol.
    - `fx.reason`: the reason why there is no native code, for the report.
    - `fx.pure`: the operator has no effects; the operation may be erased,
      moved or merged.
    - `fx.collective`: the operator communicates with other processes. A result
      of type `i64` whose `fx` type is a tensor is the number of a collective
      that has been started. The `fx.eager` of a `wait_tensor` takes this number
      and returns the tensor.

    ```mlir
    %v, %i = fx.eager @aten.sort.default(%x, 1) {fx.reason = "no lowering", fx.pure}
      : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi64>)
    ```
  }];
}

def FX_CondOp : FX_Op<"cond", [
    DeclareOpInterfaceMethods<FX_NodeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "torch.cond";
  let description = [{
    `cond(pred, true_graph, false_graph, [operands])`: `pred` is a boolean (a
    tensor of one element, a SymBool or an immediate). The graphs are operands
    of type `!fx.graph_ref`; each takes the operands and returns the results.

    ```mlir
    %cond = cond(%gt, %true_graph_0, %false_graph_0, [%x])
      : (!fx.tensor<[], i1>, !fx.graph_ref, !fx.graph_ref, !fx.tensor<[4], f32>)
        -> !fx.tensor<[4], f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands, DefaultValuedAttr<ArrayAttr, "{}">:$args,
    DefaultValuedAttr<StrArrayAttr, "{}">:$kwnames, OptionalAttr<ArrayAttr>:$outs);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The two sub-graphs; null if the symbol does not resolve.
    GraphOp getTrueGraph();
    GraphOp getFalseGraph();
    /// The values passed to the sub-graphs (the leaves of the fourth argument).
    ::mlir::OperandRange getBranchOperands();
  }];
}

def FX_GetAttrOp : FX_Op<"get_attr", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a sub-graph or a state by its name";
  let description = [{
    ```mlir
    %true_graph_0 = get_attr @true_graph_0 : !fx.graph_ref
    %w = get_attr @linear.weight : !fx.any
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$target);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
}

def FX_GuardOp : FX_Op<"guard", [HasParent<"GraphOp">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a condition on the inputs that holds on every call";
  let description = [{
    A guard of the exported program: a relation over the graph's symbols, and
    its Python text. Guards are checked before the graph runs.

    ```mlir
    guard "L['x'].size()[0] > 3" : gt(s17, 3)
    ```
  }];
  let arguments = (ins OptionalAttr<FX_ExprAttr>:$condition, StrAttr:$code);
  let assemblyFormat = "$code (`:` custom<Infix>($condition)^)? attr-dict";
}

def FX_OutputOp : FX_Op<"output", [Terminator, Pure,
    HasParent<"GraphOp">]> {
  let summary = "the results of the graph";
  let description = [{
    The arguments are a tree, as those of a node. `signature` gives the kind of
    each top-level entry; it is absent if all are user outputs.

    ```mlir
    output(%mean, %y) signature [#fx.output_spec<buffer_mutation, "running_mean">,
                                 #fx.output_spec<user_output>]
      : (!fx.tensor<[4], f32>, !fx.tensor<[2, 4], f32>)
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands, DefaultValuedAttr<ArrayAttr, "{}">:$args,
                       OptionalAttr<ArrayAttr>:$signature);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the kind of top-level entry `i` and its target.
    OutputSpecAttr getSpec(unsigned i);
  }];
}

//===----------------------------------------------------------------------===//
// The graph, which follows the nodes because its C++ declarations use them
//===----------------------------------------------------------------------===//

def FX_GraphOp : FX_Op<"graph", [
    IsolatedFromAbove, Symbol, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "an FX graph";
  let description = [{
    A graph holds its placeholders, then the other nodes in order, then one
    output. A private graph is a sub-graph: `get_attr` refers to it as an
    operand of a higher-order operator, or the `fx.body` of a call names it.
    `symbols` declares the symbols that input types use, each with its range.
    Data-dependent symbols (`u0`) are defined by the node that returns them.

    `functional` states that no node mutates a value and that the result of a
    node does not depend on the order of the nodes. Operators are pure in such
    graphs only. `fx-functionalize` sets it.

    ```mlir
    fx.graph @main symbols [s17 in [2, 1024]] attributes {functional} {
      %x = placeholder "x" : !fx.tensor<[s17, 8], f32>
      %relu = call_function @aten.relu.default(%x)
        : (!fx.tensor<[s17, 8], f32>) -> !fx.tensor<[s17, 8], f32>
      output(%relu) : (!fx.tensor<[s17, 8], f32>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       DefaultValuedAttr<ArrayAttr, "{}">:$symbols, UnitAttr:$functional);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, CArg<"bool", "false">:$isPrivate)>];
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    ::llvm::SmallVector<PlaceholderOp, 8> getPlaceholders();
    OutputOp getOutput();
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getDefaultDialect() { return "fx"; }
  }];
}

#endif // FX_IR_FXOPS_TD
