//===- FXAttrs.td - attributes of the fx dialect -----------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXATTRS_TD
#define FX_IR_FXATTRS_TD

include "fx/IR/FXDialect.td"

//===----------------------------------------------------------------------===//
// Symbolic expressions
//===----------------------------------------------------------------------===//

def FX_ExprKind : I32EnumAttr<"ExprKind", "the kind of a symbolic expression", [
  I32EnumAttrCase<"Integer", 0, "integer">,
  I32EnumAttrCase<"Real", 1, "real">,
  I32EnumAttrCase<"Symbol", 2, "symbol">,
  I32EnumAttrCase<"Add", 3, "add">,
  I32EnumAttrCase<"Mul", 4, "mul">,
  I32EnumAttrCase<"Call", 5, "call">
]> {
  let cppNamespace = "::fx";
  let genSpecializedAttr = 0;
}

def FX_ExprAttr : FX_Attr<"Expr", "expr"> {
  let summary = "a symbolic expression over sizes";
  let description = [{
    An expression over the symbols of a graph (`s17`, `u0`), as sympy has it in
    `torch.export`: integers, reals, sums, products, and calls (`floordiv`,
    `mod`, `max`, `min`, `pow`, relations `eq ne lt le gt ge`, `and or not` …).

    Expressions are built by `ExprAttr::add`, `mul` and `call`, which flatten,
    fold with overflow checks, collect like terms, distribute an integer over a
    sum, and sort operands by structure. `1 + s17` and `s17 + 1` are thus one
    attribute. The form is not canonical in all cases: different attributes may
    be equal for all values, so verifiers use `isProvablyDifferent`.

    Example: `#fx.expr<2*s17 + 1>`, `#fx.expr<max(s3, 4)>`.
  }];
  let parameters = (ins
    "ExprKind":$kind,
    "int64_t":$value,
    "::mlir::StringAttr":$name,
    OptionalArrayRefParameter<"ExprAttr">:$operands
  );
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static ExprAttr integer(::mlir::MLIRContext *ctx, int64_t value);
    static ExprAttr real(::mlir::MLIRContext *ctx, double value);
    static ExprAttr symbol(::mlir::MLIRContext *ctx, ::llvm::StringRef name);
    /// Returns the sum; null if an integer constant overflows.
    static ExprAttr add(::mlir::MLIRContext *ctx, ::llvm::ArrayRef<ExprAttr> terms);
    /// Returns the product; null if an integer constant overflows.
    static ExprAttr mul(::mlir::MLIRContext *ctx, ::llvm::ArrayRef<ExprAttr> factors);
    /// Returns `name(args...)`, folded if all arguments are integers; null on
    /// overflow or division by zero of constants.
    static ExprAttr call(::mlir::MLIRContext *ctx, ::llvm::StringRef name,
                         ::llvm::ArrayRef<ExprAttr> args);

    bool isInteger() const { return getKind() == ExprKind::Integer; }
    bool isSymbol() const { return getKind() == ExprKind::Symbol; }
    /// Returns the value of an integer constant, else nullopt.
    std::optional<int64_t> getInteger() const;
    double getReal() const;
    /// Evaluates the expression with the values of symbols that `lookup`
    /// returns. Returns nullopt if a symbol is unknown, if the arithmetic
    /// overflows or divides by zero, or if a value is neither an integer nor
    /// a truth value.
    std::optional<int64_t> evaluate(
        ::llvm::function_ref<std::optional<int64_t>(::llvm::StringRef)> lookup) const;
    /// Calls `fn` with the name of each symbol, once for each occurrence.
    void walkSymbols(::llvm::function_ref<void(::llvm::StringRef)> fn) const;
    /// Returns true only if the two differ for all values of their symbols.
    bool isProvablyDifferent(ExprAttr other) const;
    /// Compares by structure. The order is total and does not depend on the
    /// process.
    int compare(ExprAttr other) const;
    /// Prints infix text, `2*s17 + 1`.
    void printInfix(::llvm::raw_ostream &os, int precedence = 0) const;
    /// Parses infix text.
    static ::mlir::FailureOr<ExprAttr> parseInfix(::mlir::AsmParser &parser);
  }];
}

def FX_RangeAttr : FX_Attr<"Range", "range"> {
  let summary = "an expression and the closed interval its values lie in";
  let description = [{
    A range constraint of `torch.export`: `s17 in [2, 1024]`. An absent bound
    is written `?`. Ranges are checked on every call of a compiled model.
  }];
  let parameters = (ins "ExprAttr":$expr, "std::optional<int64_t>":$min,
                        "std::optional<int64_t>":$max);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Parses the form of the symbols of a graph: `s17 in [2, 1024]`.
    static RangeAttr parseBody(::mlir::AsmParser &parser);
    void printBody(::llvm::raw_ostream &os) const;
  }];
}

//===----------------------------------------------------------------------===//
// Leaves of argument trees
//===----------------------------------------------------------------------===//

def FX_OperandAttr : FX_Attr<"Operand", "operand"> {
  let summary = "the place of a value in an argument tree";
  let description = [{
    The i-th `#fx.operand` of a node's arguments, in order, stands for operand
    i of the operation. The attribute has no index, so nothing must be
    renumbered when arguments change.
  }];
}

def FX_NoneAttr : FX_Attr<"None", "none"> {
  let summary = "Python's None";
}

def FX_DeviceAttr : FX_Attr<"Device", "device"> {
  let summary = "a torch.device";
  let description = [{ `#fx.device<"cuda", 0>`; the current device if there is no index. }];
  let parameters = (ins StringRefParameter<>:$type, "std::optional<int64_t>":$index);
  let hasCustomAssemblyFormat = 1;
}

def FX_MemoryFormatAttr : FX_Attr<"MemoryFormat", "memory_format"> {
  let summary = "a torch.memory_format";
  let description = [{ One of `contiguous_format`, `channels_last`, `channels_last_3d`, `preserve_format`. }];
  let parameters = (ins StringRefParameter<>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def FX_LayoutAttr : FX_Attr<"Layout", "layout"> {
  let summary = "a torch.layout";
  let description = [{ `strided`, `sparse_coo`, `sparse_csr`, … as torch names them. }];
  let parameters = (ins StringRefParameter<>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def FX_OperatorAttr : FX_Attr<"Operator", "operator"> {
  let summary = "an operator as an argument (of a higher-order operator)";
  let parameters = (ins StringRefParameter<>:$target);
  let assemblyFormat = "`<` $target `>`";
}

def FX_ComplexAttr : FX_Attr<"Complex", "complex"> {
  let summary = "a complex immediate";
  let parameters = (ins "::mlir::FloatAttr":$real, "::mlir::FloatAttr":$imag);
  let assemblyFormat = "`<` $real `,` $imag `>`";
}

def FX_DictAttr : FX_Attr<"Dict", "dict"> {
  let summary = "a Python dict in an argument tree, in insertion order";
  let description = [{ `#fx.dict<["b", "a"], [#fx.operand, 1]>`: keys and values. }];
  let parameters = (ins "::mlir::ArrayAttr":$keys, "::mlir::ArrayAttr":$values);
  let assemblyFormat = "`<` $keys `,` $values `>`";
}

//===----------------------------------------------------------------------===//
// Tensors and states
//===----------------------------------------------------------------------===//

def FX_MetaAttr : FX_Attr<"Meta", "meta"> {
  let summary = "properties of a FakeTensor beyond sizes, dtype and device";
  let description = [{
    Strides, storage offset, requires_grad and layout of a tensor. The
    attribute is absent for a contiguous strided tensor that needs no gradient.
    Empty strides mean contiguous. Strides and offset are in elements.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"ExprAttr">:$strides,
    OptionalParameter<"ExprAttr">:$storageOffset,
    DefaultValuedParameter<"bool", "false">:$requiresGrad,
    OptionalParameter<"::mlir::StringAttr">:$layout
  );
  let hasCustomAssemblyFormat = 1;
}

def FX_ExternalAttr : FX_Attr<"External", "external"> {
  let summary = "bytes in another file";
  let description = [{
    `size` bytes at `offset` of the file at `path`, which is relative to the IR
    file. The bytes are mapped when they are first needed, and never printed.
    `crc32` is the CRC-32 of the zip record, checked at the first use.
  }];
  let parameters = (ins StringRefParameter<>:$path, "uint64_t":$offset,
                        "uint64_t":$size, "uint32_t":$crc32);
  let assemblyFormat = "`<` $path `,` `offset` `=` $offset `,` `size` `=` $size `,` `crc32` `=` $crc32 `>`";
}

//===----------------------------------------------------------------------===//
// Graph signature
//===----------------------------------------------------------------------===//

def FX_InputKind : I32EnumAttr<"InputKind", "the kind of a graph input", [
  I32EnumAttrCase<"UserInput", 0, "user_input">,
  I32EnumAttrCase<"Parameter", 1, "parameter">,
  I32EnumAttrCase<"Buffer", 2, "buffer">,
  I32EnumAttrCase<"TensorConstant", 3, "tensor_constant">,
  I32EnumAttrCase<"CustomObj", 4, "custom_obj">,
  I32EnumAttrCase<"Token", 5, "token">,
  I32EnumAttrCase<"ConstantInput", 6, "constant_input">
]> {
  let cppNamespace = "::fx";
  let genSpecializedAttr = 0;
}
def FX_InputKindAttr : EnumAttr<FX_Dialect, FX_InputKind, "input_kind">;

def FX_OutputKind : I32EnumAttr<"OutputKind", "the kind of a graph output", [
  I32EnumAttrCase<"UserOutput", 0, "user_output">,
  I32EnumAttrCase<"LossOutput", 1, "loss_output">,
  I32EnumAttrCase<"BufferMutation", 2, "buffer_mutation">,
  I32EnumAttrCase<"ParameterMutation", 3, "parameter_mutation">,
  I32EnumAttrCase<"UserInputMutation", 4, "user_input_mutation">,
  I32EnumAttrCase<"GradientToParameter", 5, "gradient_to_parameter">,
  I32EnumAttrCase<"GradientToUserInput", 6, "gradient_to_user_input">,
  I32EnumAttrCase<"Token", 7, "token">
]> {
  let cppNamespace = "::fx";
  let genSpecializedAttr = 0;
}

def FX_OutputSpecAttr : FX_Attr<"OutputSpec", "output_spec"> {
  let summary = "the kind of a graph output and what it refers to";
  let description = [{
    `target` names the state that a `buffer_mutation`, `parameter_mutation` or
    `gradient_to_parameter` refers to, or the placeholder that a
    `user_input_mutation` or `gradient_to_user_input` refers to; else empty.

    Example: `#fx.output_spec<buffer_mutation, "bn.running_mean">`.
  }];
  let parameters = (ins EnumParameter<FX_OutputKind>:$kind,
                        OptionalParameter<"::mlir::StringAttr">:$target);
  let assemblyFormat = "`<` $kind (`,` $target^)? `>`";
  let extraClassDeclaration = [{
    /// Returns true if the output is the value of an input, a parameter or a
    /// buffer after the call.
    bool isMutation() const;
  }];
}

#endif // FX_IR_FXATTRS_TD
