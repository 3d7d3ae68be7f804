//===- FXToTorch.cpp - graphs to functions of the torch dialect -----------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The torch dialect is not linked: its operations are created by name and its
// types are opaque types. A compiler that has the dialect parses the printed
// module.
//
//===----------------------------------------------------------------------===//

#include "GraphConversion.h"
#include "fx/Conversion/Passes.h"
#include "fx/IR/Metadata.h"
#include "fx/Operators/TypePromotion.h"
#include "fx/Operators/View.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSwitch.h"

namespace fx {
#define GEN_PASS_DEF_CONVERTFXTOTORCH
#include "fx/Conversion/Passes.h.inc"
} // namespace fx

using namespace mlir;
using namespace fx;

/// Returns the type `!torch.<text>`.
static Type torchType(MLIRContext *ctx, const Twine &text) {
  return OpaqueType::get(StringAttr::get(ctx, "torch"), text.str());
}

/// Returns the element type as the torch dialect prints it, with signedness.
static std::string getElementText(Type dtype) {
  if (auto integer = dyn_cast<IntegerType>(dtype)) {
    if (integer.getWidth() == 1)
      return "i1";
    return (integer.isUnsigned() ? "ui" : "si") +
           std::to_string(integer.getWidth());
  }
  std::string text;
  llvm::raw_string_ostream(text) << dtype;
  return text;
}

/// Returns the type of the torch dialect for `type`; null if there is none.
static Type getTorchType(Type type) {
  MLIRContext *ctx = type.getContext();
  if (auto tensor = dyn_cast<FakeTensorType>(type)) {
    std::string text = "vtensor<[";
    for (auto [i, size] : llvm::enumerate(tensor.getSizes())) {
      std::optional<int64_t> n = size.getInteger();
      text += (i ? "," : "") + (n ? std::to_string(*n) : "?");
    }
    return torchType(ctx,
                     text + "]," + getElementText(tensor.getDtype()) + ">");
  }
  if (isa<SymIntType>(type))
    return torchType(ctx, "int");
  if (isa<SymFloatType>(type))
    return torchType(ctx, "float");
  if (isa<SymBoolType>(type))
    return torchType(ctx, "bool");
  return {};
}

/// Returns the number of a dtype in c10::ScalarType.
static std::optional<int64_t> getDtypeNumber(Type dtype) {
  std::string text = getElementText(dtype);
  int64_t n = llvm::StringSwitch<int64_t>(text)
                  .Case("ui8", 0)
                  .Case("si8", 1)
                  .Case("si16", 2)
                  .Case("si32", 3)
                  .Case("si64", 4)
                  .Case("f16", 5)
                  .Case("f32", 6)
                  .Case("f64", 7)
                  .Case("complex<f32>", 9)
                  .Case("complex<f64>", 10)
                  .Case("i1", 11)
                  .Case("bf16", 15)
                  .Case("f8E5M2", 23)
                  .Case("f8E4M3FN", 24)
                  .Default(-1);
  return n < 0 ? std::nullopt : std::optional(n);
}

/// Returns the torch dialect's operator for an operator of Python numbers;
/// empty if there is none.
static StringRef getNumberOperator(StringRef target) {
  return llvm::StringSwitch<StringRef>(target)
      .Case("aten.sym_size.int", "aten.size.int")
      .Case("_operator.add", "aten.add.int")
      .Case("_operator.sub", "aten.sub.int")
      .Case("_operator.mul", "aten.mul.int")
      .Case("_operator.floordiv", "aten.floordiv.int")
      .Case("_operator.mod", "aten.remainder.int")
      .Case("_operator.neg", "aten.neg.int")
      .Case("_operator.eq", "aten.eq.int")
      .Case("_operator.ne", "aten.ne.int")
      .Case("_operator.lt", "aten.lt.int")
      .Case("_operator.le", "aten.le.int")
      .Case("_operator.gt", "aten.gt.int")
      .Case("_operator.ge", "aten.ge.int")
      .Case("torch.sym_float", "aten.Float.Scalar")
      .Default("");
}

namespace {
/// The conversion of one graph to a function of the torch dialect.
class GraphToTorch : public GraphConversion {
public:
  GraphToTorch(GraphOp graph, bool embed, ExternalData &files)
      : GraphConversion(graph, "the torch dialect", embed, &files) {}

private:
  Type convertType(Value value) override {
    return getTorchType(value.getType());
  }
  Value createConstant(PlaceholderOp state,
                       DenseElementsAttr elements) override;
  LogicalResult convertCall(CallFunctionOp call) override;

  Operation *create(Location loc, const Twine &name, ValueRange operands,
                    TypeRange results, ArrayRef<NamedAttribute> attrs = {});
  Value makeConstant(Location loc, StringRef kind, Attribute value);
  Value makeLiteral(Location loc, Type type, DenseElementsAttr elements);
  /// Returns the value of an argument; emits an error and returns null if the
  /// torch dialect cannot express it.
  Value makeArgument(CallFunctionOp call, const Argument &arg,
                     const ArgumentSchema &schema, unsigned listDepth);
  Value makeImmediate(CallFunctionOp call, Attribute value,
                      const ArgumentSchema &schema);
  /// Returns a 0-d tensor for a number in the place of a tensor argument
  /// (`x * 0.5`, in live and in exported graphs).
  Value makeNumberTensor(CallFunctionOp call, Attribute value);
};
} // namespace

Operation *GraphToTorch::create(Location loc, const Twine &name,
                                ValueRange operands, TypeRange results,
                                ArrayRef<NamedAttribute> attrs) {
  OperationState state(loc, ("torch." + name).str(), operands, results, attrs);
  return b.create(state);
}

Value GraphToTorch::makeConstant(Location loc, StringRef kind,
                                 Attribute value) {
  SmallVector<NamedAttribute> attrs;
  if (value)
    attrs.push_back(b.getNamedAttr("value", value));
  Type type = torchType(b.getContext(), kind == "device" ? "Device" : kind);
  return create(loc, "constant." + kind, {}, type, attrs)->getResult(0);
}

Value GraphToTorch::makeLiteral(Location loc, Type type,
                                DenseElementsAttr elements) {
  auto create = [&](Type type, DenseElementsAttr value) {
    return this
        ->create(loc, "vtensor.literal", {}, type,
                 b.getNamedAttr("value", value))
        ->getResult(0);
  };
  auto shaped = elements.getType();
  if (shaped.getRank() > 0 || !shaped.getElementType().isInteger(1))
    return create(type, elements);
  // torch-mlir cannot lower a 0-d literal of booleans, and folds casts to such
  // a literal: build the negation of an integer.
  auto integer = IntegerType::get(b.getContext(), 64, IntegerType::Signed);
  auto number =
      DenseElementsAttr::get(RankedTensorType::get({}, integer),
                             APInt(64, elements.getSplatValue<bool>() ? 0 : 1));
  Value inverse = create(torchType(b.getContext(), "vtensor<[],si64>"), number);
  return this->create(loc, "aten.logical_not", inverse, type)->getResult(0);
}

Value GraphToTorch::createConstant(PlaceholderOp state,
                                   DenseElementsAttr elements) {
  // The literal's element type has a signedness, like the tensor's.
  auto tensor = cast<FakeTensorType>(state.getType());
  if (auto integer = dyn_cast<IntegerType>(tensor.getDtype());
      integer && integer.getWidth() > 1) {
    auto type = IntegerType::get(b.getContext(), integer.getWidth(),
                                 integer.isUnsigned() ? IntegerType::Unsigned
                                                      : IntegerType::Signed);
    elements = DenseElementsAttr::getFromRawBuffer(
        elements.getType().clone(type), elements.getRawData());
  }
  return makeLiteral(state.getLoc(), getTorchType(tensor), elements);
}

Value GraphToTorch::makeImmediate(CallFunctionOp call, Attribute value,
                                  const ArgumentSchema &schema) {
  Location loc = call.getLoc();
  auto integer = [&](int64_t n) {
    return makeConstant(loc, "int", b.getI64IntegerAttr(n));
  };
  if (isa<fx::NoneAttr>(value))
    return makeConstant(loc, "none", {});
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return makeConstant(loc, "bool", boolean);
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    // As in Python, an int is accepted where a float is expected.
    int64_t n = number.getValue().getSExtValue();
    if (schema.kind == SchemaKind::Float || schema.kind == SchemaKind::SymFloat)
      return makeConstant(loc, "float", b.getF64FloatAttr(n));
    return integer(n);
  }
  if (auto number = dyn_cast<FloatAttr>(value))
    return makeConstant(loc, "float",
                        b.getF64FloatAttr(number.getValueAsDouble()));
  if (auto text = dyn_cast<StringAttr>(value))
    return makeConstant(loc, "str", b.getStringAttr(text.getValue()));
  if (auto dtype = dyn_cast<TypeAttr>(value))
    if (std::optional<int64_t> n = getDtypeNumber(dtype.getValue()))
      return integer(*n);
  if (auto device = dyn_cast<DeviceAttr>(value)) {
    std::string text = device.getType().str();
    if (device.getIndex())
      text += ":" + std::to_string(*device.getIndex());
    return makeConstant(loc, "device", b.getStringAttr(text));
  }
  if (auto format = dyn_cast<MemoryFormatAttr>(value))
    return integer(llvm::StringSwitch<int64_t>(format.getValue())
                       .Case("preserve_format", 1)
                       .Case("channels_last", 2)
                       .Case("channels_last_3d", 3)
                       .Default(0));
  if (auto layout = dyn_cast<LayoutAttr>(value);
      layout && layout.getValue() == "strided")
    return integer(0);
  call.emitOpError("argument '")
      << schema.getName() << "' has no form in the torch dialect, got "
      << value;
  return {};
}

/// Returns the dtype of the 0-d tensor that replaces a number among the
/// arguments of a call, such that type promotion gives the same dtype as for
/// the number: the dtype that the tensors and the number give, or the default
/// dtype of the number's category (bool, integer, float) if that has no
/// literal.
static Type getNumberDtype(CallFunctionOp call, Attribute value) {
  Builder b(call.getContext());
  Type own = isa<BoolAttr>(value)      ? Type(b.getI1Type())
             : isa<IntegerAttr>(value) ? Type(b.getI64Type())
                                       : Type(b.getF32Type());
  TypePromotion promotion(call.getContext());
  promotion.addNumber(own);
  for (Value operand : call.getOperands())
    if (auto tensor = dyn_cast<FakeTensorType>(operand.getType()))
      promotion.addTensor(tensor.getDtype(), tensor.getRank());
  Type dtype = promotion.getResult();
  // A complex dtype has no literal here, and a narrow integer dtype may not
  // represent the number.
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!dtype || !dtype.isIntOrFloat() ||
      (isIntDtype(dtype) && integer && isIntDtype(own) &&
       !integer.getValue().isSignedIntN(dtype.getIntOrFloatBitWidth())))
    return own;
  return dtype;
}

Value GraphToTorch::makeNumberTensor(CallFunctionOp call, Attribute value) {
  Type dtype = getNumberDtype(call, value);
  auto type =
      torchType(b.getContext(), "vtensor<[]," + getElementText(dtype) + ">");
  Attribute element;
  if (auto floating = dyn_cast<FloatType>(dtype)) {
    APFloat number(0.0);
    if (auto real = dyn_cast<FloatAttr>(value))
      number = real.getValue();
    else
      number = APFloat(isa<BoolAttr>(value)
                           ? double(cast<BoolAttr>(value).getValue())
                           : double(cast<IntegerAttr>(value).getInt()));
    bool lost;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lost);
    element = FloatAttr::get(floating, number);
  } else {
    auto integer = cast<IntegerType>(dtype);
    int64_t n = isa<BoolAttr>(value) ? cast<BoolAttr>(value).getValue()
                                     : cast<IntegerAttr>(value).getInt();
    bool isBool = integer.getWidth() == 1;
    dtype = isBool
                ? dtype
                : IntegerType::get(b.getContext(), integer.getWidth(),
                                   integer.isUnsigned() ? IntegerType::Unsigned
                                                        : IntegerType::Signed);
    element =
        IntegerAttr::get(dtype, APInt(integer.getWidth(), n, /*isSigned=*/true,
                                      /*implicitTrunc=*/true));
  }
  auto elements = DenseElementsAttr::get(RankedTensorType::get({}, dtype),
                                         ArrayRef<Attribute>(element));
  return makeLiteral(call.getLoc(), type, elements);
}

Value GraphToTorch::makeArgument(CallFunctionOp call, const Argument &arg,
                                 const ArgumentSchema &schema,
                                 unsigned listDepth) {
  if (Value value = arg.getValue()) {
    Value converted = values.lookup(value);
    if (!converted)
      call.emitOpError("argument '")
          << schema.getName() << "' has no form in the torch dialect, got "
          << value.getType();
    // A symbolic number in the place of a tensor.
    bool isNumber = isa<SymIntType, SymFloatType, SymBoolType>(value.getType());
    if (converted && schema.kind == SchemaKind::Tensor && isNumber) {
      StringRef dtype = isa<SymIntType>(value.getType())     ? "si64"
                        : isa<SymFloatType>(value.getType()) ? "f64"
                                                             : "i1";
      return create(call.getLoc(), "prim.NumToTensor.Scalar", converted,
                    torchType(b.getContext(), "vtensor<[]," + dtype + ">"))
          ->getResult(0);
    }
    return converted;
  }
  if (schema.kind == SchemaKind::Tensor &&
      isa<IntegerAttr, FloatAttr, BoolAttr>(arg.tree))
    return makeNumberTensor(call, arg.tree);
  if (!arg.isList() && !(listDepth && !arg.isNone()))
    return makeImmediate(call, arg.tree, schema);
  SmallVector<Value> elements;
  for (const Argument &element : arg.getElements()) {
    elements.push_back(makeArgument(call, element, schema, 0));
    if (!elements.back())
      return {};
  }
  StringRef element = schema.kind == SchemaKind::Tensor  ? "vtensor"
                      : schema.kind == SchemaKind::Bool  ? "bool"
                      : schema.kind == SchemaKind::Float ? "float"
                                                         : "int";
  std::string type = schema.hasOptionalElements()
                         ? ("list<optional<" + element + ">>").str()
                         : ("list<" + element + ">").str();
  return create(call.getLoc(), "prim.ListConstruct", elements,
                torchType(b.getContext(), type))
      ->getResult(0);
}

LogicalResult GraphToTorch::convertCall(CallFunctionOp call) {
  OperatorView view = getOperatorView(call);
  if (!view)
    return call.emitOpError("'")
           << call.getTarget() << "' has no form in the torch dialect";
  StringRef target = getNumberOperator(call.getTarget());
  if (target.empty())
    target = call.getTarget();
  if (target.starts_with("_operator.") || target.starts_with("torch.") ||
      target.starts_with("math."))
    return call.emitOpError("'")
           << call.getTarget() << "' has no form in the torch dialect";
  SmallVector<Value> operands;
  for (auto [i, schema] : llvm::enumerate(view.getSchema().getArguments())) {
    Argument arg = view.getArg(i);
    if (!arg.tree)
      return call.emitOpError("expected a value of argument '")
             << schema.getName() << "'";
    Value value = makeArgument(call, arg, schema, schema.listDepth);
    if (!value)
      return failure();
    operands.push_back(value);
  }
  SmallVector<Type> types;
  for (Value result : call->getResults()) {
    types.push_back(getTorchType(result.getType()));
    if (!types.back())
      return call.emitOpError("result has no form in the torch dialect, got ")
             << result.getType();
  }
  std::string name = target.ends_with(".default")
                         ? target.drop_back(strlen(".default")).str()
                         : target.str();
  // A result that is a list of tensors is one value, which is then unpacked.
  bool isList = call.getOutsAttr() && call.getOutsAttr().size() == 1 &&
                isa<ArrayAttr>(call.getOutsAttr()[0]);
  if (call.getOutsAttr() && !isList)
    return call.emitOpError("results of this form have none in the torch "
                            "dialect");
  Operation *op;
  if (isList) {
    op = create(call.getLoc(), name, operands,
                torchType(b.getContext(), "list<vtensor>"));
    op = create(call.getLoc(), "prim.ListUnpack", op->getResults(), types);
  } else {
    op = create(call.getLoc(), name, operands, types);
  }
  for (auto [old, now] : llvm::zip(call->getResults(), op->getResults()))
    values[old] = now;
  return success();
}

namespace {
struct ConvertFXToTorch : fx::impl::ConvertFXToTorchBase<ConvertFXToTorch> {
  using ConvertFXToTorchBase::ConvertFXToTorchBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!getContext().allowsUnregisteredDialects()) {
      module.emitError("the torch dialect is not linked: expected "
                       "--allow-unregistered-dialect");
      return signalPassFailure();
    }
    ExternalData files;
    auto convert = [&](GraphOp graph) {
      return GraphToTorch(graph, embedStates, files).convert();
    };
    if (failed(convertGraphs(module, convert)))
      return signalPassFailure();
    removeGraphs(module);
  }
};
} // namespace
