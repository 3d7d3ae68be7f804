//===- FXTypes.td - types of the fx dialect ----------------*- tablegen -*-===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FX_IR_FXTYPES_TD
#define FX_IR_FXTYPES_TD

include "fx/IR/FXAttrs.td"

def FX_FakeTensorType : FX_Type<"FakeTensor", "tensor"> {
  let summary = "a tensor with the properties of torch's FakeTensor";
  let description = [{
    The type has sizes (integers or symbolic expressions; the rank is always
    known), a dtype and a device (absent: cpu). `#fx.meta` has strides, storage
    offset, requires_grad and layout if they differ from their defaults.

    dtypes are builtin types: bool `i1`, uint8 `ui8`, int8 `i8`, …, int64
    `i64`, `f16`, `bf16`, `f32`, `f64`, `complex<f32>`, `f8E4M3FN`, ….

    Examples: `!fx.tensor<[s17, 8], f32>`, `!fx.tensor<[], i64, "cuda:0">`,
    `!fx.tensor<[4, 8], f32, #fx.meta<strides = [1, 4]>>`.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"ExprAttr">:$sizes,
    "::mlir::Type":$dtype,
    OptionalParameter<"::mlir::StringAttr">:$device,
    OptionalParameter<"MetaAttr">:$meta
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<ExprAttr>":$sizes,
                                        "::mlir::Type":$dtype), [{
      return $_get(dtype.getContext(), sizes, dtype, ::mlir::StringAttr(), MetaAttr());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getSizes().size(); }
    /// Returns the integer size of `dim`, or ShapedType::kDynamic.
    int64_t getDimSize(int64_t dim) const;
    bool hasStaticShape() const;
    /// Returns the number of elements if it is static and does not overflow.
    std::optional<int64_t> getNumElements() const;
    /// Returns the builtin tensor type of the same shape. Symbolic sizes
    /// become `?` and the dtype loses its signedness.
    ::mlir::RankedTensorType toBuiltin() const;
    FakeTensorType withDtype(::mlir::Type dtype) const;
    FakeTensorType withSizes(::llvm::ArrayRef<ExprAttr> sizes) const;
    /// Returns the type without its `#fx.meta`.
    FakeTensorType withoutMeta() const;
  }];
}

class FX_SymType<string name, string mnemonic, string text>
    : FX_Type<name, mnemonic> {
  let summary = text;
  let description = [{
    The expression is absent if only the Python type is known.

    Example: `!fx.sym_int<2*s17>`.
  }];
  let parameters = (ins OptionalParameter<"ExprAttr">:$expr);
  let hasCustomAssemblyFormat = 1;
}
def FX_SymIntType : FX_SymType<"SymInt", "sym_int", "a torch.SymInt or int">;
def FX_SymFloatType : FX_SymType<"SymFloat", "sym_float", "a torch.SymFloat or float">;
def FX_SymBoolType : FX_SymType<"SymBool", "sym_bool", "a torch.SymBool or bool">;

def FX_NoneType : FX_Type<"PyNone", "none_type"> {
  let summary = "the value None, as a result or an input";
}
def FX_StringType : FX_Type<"String", "string"> {
  let summary = "a Python str, as an input";
}
def FX_TokenType : FX_Type<"Token", "token"> {
  let summary = "orders effects (with_effects)";
}
def FX_GraphRefType : FX_Type<"GraphRef", "graph_ref"> {
  let summary = "a reference to a sub-graph, made by get_attr";
}
def FX_AnyType : FX_Type<"Any", "any"> {
  let summary = "a value of unknown type, as symbolic_trace records it";
}
def FX_ObjectType : FX_Type<"Object", "object"> {
  let summary = "a custom (TorchBind or opaque) object";
  let parameters = (ins StringRefParameter<>:$className);
  let assemblyFormat = "`<` $className `>`";
}
def FX_ListType : FX_Type<"List", "list"> {
  let summary = "a list of values with one name";
  let description = [{ An operator's `Tensor[]` result before it is unpacked. }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

#endif // FX_IR_FXTYPES_TD
