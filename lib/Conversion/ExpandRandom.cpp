//===- ExpandRandom.cpp - random numbers in upstream dialects -------------===//
//
// Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandRandom.h"
#include "fx/Kernels/IR/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fx;

static constexpr const char kGenerator[] =
#include "RandomGenerator.mlir.inc"
    ;
static constexpr const char *kDistributions[] = {
#include "RandomDistributions.mlir.inc"
};
/// The size of an FXGenerator (fx/Runtime/fallback.h) in 32-bit words.
static constexpr int64_t kStateWords = 628;

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Replaces every occurrence of `from` in `text`.
static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to.str());
}

/// Returns MLIR text that defines `%y`, the conversion of `value` to type `to`
/// by `op`. f16 and bf16 are converted by way of f32, as in PyTorch.
static std::string convert(StringRef op, StringRef value, StringRef from,
                           Type to) {
  std::string type = toText(to);
  if (to.isF16() || to.isBF16())
    return ("%short = " + op + " " + value + " : " + from +
            " to f32\n    %y = arith.truncf %short : f32 to " + type)
        .str();
  return ("%y = " + op + " " + value + " : " + from + " to " + type).str();
}

/// Returns the text of `source` with its placeholders ($T, $C, ...) replaced:
/// the functions that draw elements of type `type`.
static std::string instantiate(StringRef source, Type type) {
  bool isFloat = isa<FloatType>(type), isDouble = type.isF64();
  std::string c = isDouble ? "f64" : "f32", t = toText(type);
  StringRef fromReal = isDouble            ? "arith.bitcast"
                       : isFloat           ? "arith.truncf"
                       : type.isInteger(1) ? "arith.fptoui"
                                           : "arith.fptosi";
  StringRef fromInteger = isFloat              ? "arith.sitofp"
                          : type.isInteger(64) ? "arith.bitcast"
                                               : "arith.trunci";
  std::string text = source.str();
  replaceAll(text, "$STORE_F64", convert(fromReal, "%v", "f64", type));
  replaceAll(text, "$STORE_I64_v", convert(fromInteger, "%v", "i64", type));
  replaceAll(text, "$STORE_I64_x", convert(fromInteger, "%x", "i64", type));
  replaceAll(text, "$F64_TO_C", isDouble ? "arith.bitcast" : "arith.truncf");
  replaceAll(text, "$C_TO_T", c == t ? "arith.bitcast" : "arith.truncf");
  replaceAll(text, "$DRAWN", c == t ? "%n" : "%whole");
  replaceAll(text, "$C", c);
  replaceAll(text, "$T", t);
  return text;
}

/// Returns n such that a float of `type` represents all integers up to 2^n.
static unsigned getDigits(FloatType type) { return type.getFPMantissaWidth(); }

/// Returns why no function draws the numbers of the op; empty if one does.
static std::string getObstacle(kernel::RandomOp op) {
  StringRef name = op.getDistribution();
  if (name == "any_integers" || name == "words")
    return ("the distribution '" + name + "' has no form there").str();
  auto type = dyn_cast<FloatType>(
      cast<RankedTensorType>(op.getOutput().getType()).getElementType());
  if (name != "integers" || !type)
    return "";
  // The runtime library adjusts bounds that the dtype cannot represent exactly;
  // the functions do not.
  for (Value bound : {op.getFirst(), op.getSecond()}) {
    llvm::APInt value;
    if (!matchPattern(bound, m_ConstantInt(&value)) ||
        value.abs().getLimitedValue() > 1ull << getDigits(type))
      return "integers as floats need bounds that are known and exact";
  }
  return "";
}

/// Reshapes the vector `flat` to the type of `op`'s result.
static Value reshape(OpBuilder &b, kernel::RandomOp op, Value flat) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  int64_t rank = type.getRank();
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  auto vector = RankedTensorType::get({count}, type.getElementType());
  if (flat.getType() != vector)
    flat = tensor::CastOp::create(b, loc, vector, flat);
  if (rank == 1)
    return flat;
  if (rank == 0)
    return tensor::CollapseShapeOp::create(b, loc, type, flat,
                                           ArrayRef<ReassociationIndices>());
  ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
  return tensor::ExpandShapeOp::create(
      b, loc, type, flat, ArrayRef<ReassociationIndices>(all),
      tensor::getMixedSizes(b, loc, op.getOutput()));
}

/// Replaces the op by a call of a function that draws from `generator`. Returns
/// the state of the generator after the call.
static Value expand(kernel::RandomOp op, Value generator) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOutput().getType());
  Value count = arith::ConstantIndexOp::create(b, loc, 1);
  if (type.hasStaticShape())
    count = arith::ConstantIndexOp::create(b, loc, type.getNumElements());
  else
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = arith::MulIOp::create(
          b, loc, count, tensor::DimOp::create(b, loc, op.getOutput(), d));
  auto vector =
      RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
  auto call = func::CallOp::create(
      b, loc,
      ("random_" + op.getDistribution() + "_" + toText(type.getElementType()))
          .str(),
      TypeRange{vector, generator.getType()},
      ValueRange{generator, count, op.getFirst(), op.getSecond()});
  op.getResult().replaceAllUsesWith(reshape(b, op, call.getResult(0)));
  op.erase();
  return call.getResult(1);
}

/// Expands the ops of `function`, threads the generator's state through it as
/// the last argument and the first result, and adds the element types that are
/// drawn to `types`.
static LogicalResult expandIn(func::FuncOp function,
                              llvm::SetVector<Type> &types) {
  SmallVector<kernel::RandomOp> ops;
  function.walk([&](kernel::RandomOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  for (kernel::RandomOp op : ops) {
    std::string obstacle = getObstacle(op);
    if (op->getParentOp() != function)
      obstacle = "they are drawn inside of control flow";
    if (!obstacle.empty())
      return op->emitError(
                 "expected random numbers that linalg can draw, got others: ")
             << obstacle;
  }
  OpBuilder b(function.getContext());
  auto state = RankedTensorType::get({kStateWords}, b.getI32Type());
  unsigned last = function.getNumArguments();
  if (failed(function.insertArgument(last, state, {}, function.getLoc())))
    return failure();
  Value generator = function.getArgument(last);
  for (kernel::RandomOp op : ops) {
    types.insert(
        cast<RankedTensorType>(op.getOutput().getType()).getElementType());
    generator = expand(op, generator);
  }
  for (auto op : llvm::to_vector(function.getOps<func::ReturnOp>()))
    op->insertOperands(0, generator);
  return function.insertResult(0, state, {});
}

/// Adds the generator and the distributions of element types `types`.
static LogicalResult addFunctions(ModuleOp module, ArrayRef<Type> types) {
  std::string text = kGenerator;
  for (Type type : types)
    for (auto [i, source] : llvm::enumerate(kDistributions))
      if (i != 0 || isa<FloatType>(type)) // the first are those of floats
        text += instantiate(source, type);
  OwningOpRef<ModuleOp> library =
      parseSourceString<ModuleOp>(text, module.getContext());
  if (!library)
    return module.emitError("expected functions that parse, got others");
  SmallVector<func::FuncOp> added;
  for (auto function : llvm::to_vector(library->getOps<func::FuncOp>())) {
    if (module.lookupSymbol(function.getSymName()))
      return module.emitError("expected no symbol @")
             << function.getSymName()
             << ", which draws random numbers, got one";
    function->moveBefore(module.getBody(), module.getBody()->end());
    added.push_back(function);
  }
  // Erase the functions without callers. Callees precede their callers, so one
  // walk in reverse order suffices.
  for (func::FuncOp function : llvm::reverse(added))
    if (function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  return success();
}

LogicalResult fx::expandRandom(ModuleOp module) {
  llvm::SetVector<Type> types;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (failed(expandIn(function, types)))
      return failure();
  return types.empty() ? success() : addFunctions(module, types.getArrayRef());
}
